import { appendFileSync } from "node:fs";
import { type Clock, messageOf } from "../kit.ts";
import type { Bus } from "../link/bus.ts";
import { addTo, lastOn } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";
import { keyIn } from "../policy/machine.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { isSealedBy, readBatch } from "./batch.ts";
import { ackedOf, type Kept, type SpoolReader } from "./reader.ts";
import { KEEP_ACKED_MS } from "./recover.ts";

/** How many times a sender looks for the end of the stream again after another sender has added to it. */
const MOST_LOOKS = 20;

/** A writer's last batch in the stream. */
interface Last {
  readonly n: number;
  /** The message's number in the stream; 0 if there is none. */
  readonly seq: number;
}

/** How many of a writer's batches the stream has. */
export interface Shipped {
  /** The number of the newest batch in the stream. */
  readonly acked: number;
  readonly sealed: number;
  /** The reason why the other batches are not in the stream yet. */
  readonly problem?: string;
}

/** Source and destination of the batches. */
export interface ShipOptions {
  readonly fleet: string;
  readonly machine: string;
  /** The machine's current token. Batches signed before the machine was enrolled again are sent with the old one. */
  readonly token: string;
  readonly bus: Bus;
  readonly clock: Clock;
}

/**
 * Sends a writer's batches to the stream, in order and each once. It asks the stream what it has, so a lost answer or a
 * restart does no harm. Each message names its predecessor, so even senders at different times cannot send a batch
 * twice.
 */
export async function shipWriter(reader: SpoolReader, options: ShipOptions): Promise<Shipped> {
  const { fleet, machine, bus, clock } = options;
  const { place } = reader;
  const kept = reader.batches();
  const names = namesOf(fleet);
  const subject = names.decisions(machine, place.writer);
  const before = ackedOf(place);
  // A batch acknowledged more than `KEEP_ACKED_MS` ago may have left the stream, and is not sent again.
  const settled = before.findLast(({ t }) => clock.wall() - t > KEEP_ACKED_MS)?.n ?? 0;
  let told = before.at(-1)?.n ?? 0;
  let last: Last = { n: 0, seq: 0 };
  const look = async (): Promise<void> => {
    last = await lastOf(names.stream, subject, bus);
    last = { ...last, n: Math.max(last.n, settled) };
    tell();
  };
  const tell = (): void => {
    if (last.n <= told) return;
    appendFileSync(place.acked, `${JSON.stringify({ n: last.n, t: clock.wall() })}\n`, { mode: 0o600 });
    told = last.n;
  };
  try {
    await look();
    for (let looks = 0; last.n < kept.length; ) {
      const next = kept[last.n] as Kept;
      const headers = {
        "Nats-Msg-Id": `${place.writer}:${next.seal.n}`,
        [TOKEN_HEADER]: tokenOf(next, reader, options.token),
      };
      const seq = await addTo(bus, { subject, data: reader.message(next), after: last.seq, headers });
      if (seq !== "other") {
        last = { n: next.seal.n, seq };
        tell();
      } else if (++looks > MOST_LOOKS) throw new Error(`another sender writes to ${subject}`);
      else await look();
    }
    return { acked: last.n, sealed: kept.length };
  } catch (thrown) {
    return { acked: last.n, sealed: kept.length, problem: messageOf(thrown) };
  }
}

/** Returns the token whose key has signed a batch: the machine may have been enrolled again since its writer began. */
function tokenOf({ line }: Kept, { head }: SpoolReader, token: string): string {
  if (head === undefined || head.token === token) return token;
  const before = keyIn(head.token);
  return before !== undefined && isSealedBy(line, before) ? head.token : token;
}

async function lastOf(stream: string, subject: string, bus: Bus): Promise<Last> {
  const last = await lastOn(bus, stream, subject);
  return last === undefined ? { n: 0, seq: 0 } : { n: readBatch(last.data).seal.n, seq: last.seq };
}
