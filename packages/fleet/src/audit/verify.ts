import { messageOf } from "../kit.ts";
import type { Stored } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";
import type { PublicKey } from "../policy/key.ts";
import { type Batch, NOTHING, readBatch } from "../spool/batch.ts";
import { TOKEN_HEADER } from "../wire/question.ts";

/** A message in the stream that is not as its writer sent it. */
export interface Fault {
  readonly kind: "forged" | "gap" | "double" | "broken";
  readonly subject: string;
  readonly seq: number;
  readonly message: string;
}

/** Says how many batches a report leaves out because they are missing or cannot be trusted. */
export function leftOutText({ length }: readonly Fault[]): string {
  return `${length} batches are missing or cannot be trusted, and are left out: \`hookline fleet audit verify\` lists them.`;
}

/**
 * Returns the key that a machine signs with, by the token in the message's header; `undefined` if the token shows none.
 */
export type KeyOf = (machine: string, token: string) => PublicKey | undefined;

interface Chain {
  readonly n: number;
  readonly hash: string;
  readonly end: number;
}

/**
 * Checks a stream's messages in their order: each must be signed by the machine of its subject, and each writer's
 * batches must be numbered without gaps or duplicates and name the batch before them. `take` is called with each
 * message.
 */
export class Verifier {
  readonly faults: Fault[] = [];
  batches = 0;
  /** The subjects of writers whose first batches the stream has removed because of their age. */
  readonly expired = new Set<string>();
  readonly #names: ReturnType<typeof namesOf>;
  readonly #fleet: string;
  readonly #firstSeq: number;
  readonly #keyOf: KeyOf;
  readonly #chains = new Map<string, Chain>();

  /** `firstSeq` is the number of the oldest message in the stream: what came before has been removed. */
  constructor(fleet: string, keyOf: KeyOf, firstSeq = 1) {
    this.#firstSeq = firstSeq;
    this.#fleet = fleet;
    this.#names = namesOf(fleet);
    this.#keyOf = keyOf;
  }

  /** The number of writers whose batches were seen. */
  get writers(): number {
    return this.#chains.size;
  }

  /** Checks the next message; returns its batch if its machine has signed it. */
  take({ subject, seq, data, header }: Stored): Batch | undefined {
    const fault = (kind: Fault["kind"], message: string): void =>
      void this.faults.push({ kind, subject, seq, message });
    const [machine = "", writer = ""] = subject.split(".").slice(-2);
    const key = this.#keyOf(machine, header(TOKEN_HEADER));
    let batch: Batch;
    try {
      if (key === undefined) throw new Error(`no token shows which key ${machine} signs with`);
      batch = readBatch(data, key);
    } catch (thrown) {
      fault("forged", messageOf(thrown));
      return undefined;
    }
    const { seal, hash } = batch;
    if (seal.fleet !== this.#fleet || this.#names.decisions(seal.machine, seal.writer) !== subject) {
      fault("forged", `batch ${seal.n} of ${seal.writer} on ${seal.machine} was sent to another subject`);
      return undefined;
    }
    const before = this.#chains.get(subject) ?? { n: 0, hash: NOTHING, end: 0 };
    if (seal.n <= before.n) {
      fault("double", `batch ${seal.n} of ${writer} is repeated after ${before.n}`);
      return undefined;
    }
    if (before.n === 0 && seal.n > 1 && this.#firstSeq > 1) this.expired.add(subject);
    else if (seal.n > before.n + 1) fault("gap", `batches ${before.n + 1} to ${seal.n - 1} of ${writer} are missing`);
    else if (seal.prev !== before.hash || seal.from !== before.end)
      fault("broken", `batch ${seal.n} of ${writer} does not follow the one before it`);
    this.#chains.set(subject, { n: seal.n, hash, end: seal.from + seal.bytes });
    this.batches += 1;
    return batch;
  }
}
