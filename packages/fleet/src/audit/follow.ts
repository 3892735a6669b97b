import { setTimeout as wait } from "node:timers/promises";
import { messageOf, systemClock } from "../kit.ts";
import { busOn } from "../link/bus.ts";
import { connected, PATIENCE_MS } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import type { Access } from "../place/joined.ts";
import { type Collected, Collector, streamState, type Wanted } from "./collect.ts";
import { storedIn } from "./read.ts";
import type { Fault } from "./verify.ts";

/** How often the server is polled, in ms: an auditor may read the stream but not subscribe to it. */
const EVERY_MS = 500;

/** The result of one poll of the stream: all recordings, and what is new since the last poll. */
export interface Heard {
  /** All recordings so far. Each is a file that only grows; the files are removed when the reading ends. */
  readonly recordings: readonly Collected[];
  /** Batches that could not be verified and were left out. */
  readonly faults: readonly Fault[];
  /** Messages for the person: that the server does not answer, answers again, or has lost messages. */
  readonly problems: readonly string[];
}

/**
 * Reads a fleet's decisions with an auditor's creds until `signal` is aborted. It first yields all that the stream has,
 * then what arrives. While the server is away it waits, and continues after the last message that it has read. Calls
 * `took` with each recording after adding a batch to it. Rejects if the server cannot be reached at the beginning.
 */
export async function* followDecisions(
  { url, creds }: Access,
  {
    machine,
    signal,
    took,
  }: Pick<Wanted, "machine"> & { readonly signal: AbortSignal; took?(recording: Collected): void },
): AsyncGenerator<Heard, void> {
  const { fleet } = creds;
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  const bus = busOn(link);
  const end = (): void => link.close();
  signal.addEventListener("abort", end);
  let collector: Collector | undefined;
  try {
    await connected(link, url, signal);
    let connections = 1;
    link.whenConnected(() => {
      connections += 1;
    });
    const { firstSeq } = await streamState(bus, fleet);
    collector = new Collector(creds, firstSeq);
    let [next, known, seen] = [1, 0, 1];
    let [hasBegun, isAway, isTaking] = [false, false, false];
    while (!signal.aborted) {
      const problems: string[] = [];
      try {
        if (seen !== connections) {
          const current = connections;
          const { lastSeq } = await streamState(bus, fleet);
          seen = current;
          // After a power cut a server may have lost its last messages; machines send them again with the same numbers.
          if (lastSeq < next - 1) problems.push(`the server has lost messages ${lastSeq + 1} to ${next - 1}`);
          next = Math.min(next, lastSeq + 1);
        }
        for await (const stored of storedIn(bus, fleet, { machine, from: next })) {
          if (signal.aborted) return;
          next = stored.seq + 1;
          isTaking = true;
          const recording = collector.take(stored);
          if (recording !== undefined) took?.(recording);
          isTaking = false;
        }
        if (isAway) problems.push("the server answers again");
        [hasBegun, isAway] = [true, false];
      } catch (thrown) {
        if (signal.aborted) return;
        // Waiting helps only against a server that is away: an error of this machine, such as a full disk, is thrown.
        if (!hasBegun || isTaking) throw thrown;
        if (!isAway) problems.push(`the server does not answer: ${messageOf(thrown)}; waiting for it`);
        isAway = true;
      }
      yield { recordings: collector.recordings, faults: collector.faults.slice(known), problems };
      known = collector.faults.length;
      await wait(EVERY_MS, undefined, { signal });
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    signal.removeEventListener("abort", end);
    link.close();
    collector?.close();
  }
}
