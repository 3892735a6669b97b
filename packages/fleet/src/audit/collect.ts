import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson } from "../kit.ts";
import type { Bus } from "../link/bus.ts";
import type { Stored } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";
import type { FleetPart } from "../sign/creds.ts";
import type { Batch } from "../spool/batch.ts";
import { MOST_SPOOL_BYTES } from "../spool/writer.ts";
import { enrolledKeys } from "./keys.ts";
import { storedIn } from "./read.ts";
import { type Fault, Verifier } from "./verify.ts";

/** The recording of one session of a machine, assembled from the batches in the stream. */
export interface Collected {
  readonly machine: string;
  readonly writer: string;
  /** NATS subject under which the writer's batches are in the stream. */
  readonly subject: string;
  /** Path of a file with the verified batches, at the same byte offsets as in the writer's own file. */
  readonly path: string;
  /** The time at which the writer's last batch was sealed, in epoch ms. */
  readonly to: number;
  /** Whether the stream has removed the writer's first batches because of their age. */
  readonly isExpired: boolean;
}

/** The decisions in a fleet's stream. */
export interface Collection {
  readonly fleet: string;
  readonly recordings: readonly Collected[];
  readonly batches: number;
  readonly faults: readonly Fault[];
  /** Removes the temporary copies of the recordings. */
  close(): void;
}

/** Selects the decisions to read. */
export interface Wanted {
  /** Selects the decisions of one machine; default all. */
  readonly machine?: string | undefined;
  /** Ends the reading early; what was read by then is returned. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies the messages of a stream in their order and puts the recordings of their writers together in a private
 * folder. What cannot be verified is reported in `faults` and left out.
 */
export class Collector {
  readonly #folder = mkdtempSync(join(tmpdir(), "hookline-fleet-audit-"));
  readonly #verifier: Verifier;
  readonly #recordings = new Map<string, Collected>();

  /** `firstSeq` is the number of the oldest message in the stream. */
  constructor(fleet: Pick<FleetPart, "fleet" | "account" | "signers">, firstSeq: number) {
    this.#verifier = new Verifier(fleet.fleet, enrolledKeys(fleet), firstSeq);
  }

  get recordings(): readonly Collected[] {
    return [...this.#recordings.values()];
  }

  get batches(): number {
    return this.#verifier.batches;
  }

  get faults(): readonly Fault[] {
    return this.#verifier.faults;
  }

  /** Takes the next message; returns the recording that has grown, or `undefined` if the message is left out. */
  take(stored: Stored): Collected | undefined {
    const { subject, seq } = stored;
    const batch = this.#verifier.take(stored);
    if (batch === undefined) return undefined;
    const { machine, writer, n, t, ...seal } = batch.seal;
    if (seal.from + seal.bytes > MOST_SPOOL_BYTES) {
      const message = `batch ${n} of ${writer} begins behind byte ${MOST_SPOOL_BYTES}`;
      this.#verifier.faults.push({ kind: "broken", subject, seq, message });
      return undefined;
    }
    const path = join(this.#folder, `${machine}.${writer}.jsonl`);
    const isExpired = this.#verifier.expired.has(subject);
    const recording: Collected = { machine, writer, subject, path, to: t, isExpired };
    this.#recordings.set(path, recording);
    put(path, batch);
    return recording;
  }

  /** Removes the files of the recordings. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Reads the stream of decisions from its beginning, as a `Collector` does. Rejects if the server does not answer. */
export async function collectDecisions(
  bus: Bus,
  fleet: Pick<FleetPart, "fleet" | "account" | "signers">,
  { machine, signal }: Wanted = {},
): Promise<Collection> {
  const { firstSeq } = await streamState(bus, fleet.fleet);
  const collector = new Collector(fleet, firstSeq);
  try {
    for await (const stored of storedIn(bus, fleet.fleet, { machine })) {
      if (signal?.aborted === true) break;
      collector.take(stored);
    }
  } catch (thrown) {
    collector.close();
    throw thrown;
  }
  const { recordings, batches, faults } = collector;
  return { fleet: fleet.fleet, recordings, batches, faults, close: () => collector.close() };
}

function put(path: string, { seal, content }: Batch): void {
  const fd = openSync(path, "a+", 0o600);
  closeSync(fd);
  const file = openSync(path, "r+");
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, seal.from + done);
  } finally {
    closeSync(file);
  }
}

/** Returns the numbers of the oldest and newest message of a fleet's stream. Rejects if there is no stream. */
export async function streamState(
  bus: Bus,
  fleet: string,
): Promise<{ readonly firstSeq: number; readonly lastSeq: number }> {
  const { stream } = namesOf(fleet);
  const reading = readJson((await bus.request(`$JS.API.STREAM.INFO.${stream}`, new Uint8Array())).data);
  const info = (reading.ok ? reading.value : undefined) as {
    readonly state?: { readonly first_seq?: unknown; readonly last_seq?: unknown };
  } | null;
  const { first_seq: firstSeq, last_seq: lastSeq } = info?.state ?? {};
  if (typeof firstSeq === "number" && typeof lastSeq === "number") return { firstSeq, lastSeq };
  throw new Error(`the server has no stream ${stream}; \`hookline fleet root publish\` makes it`);
}
