import { closeSync, openSync, readSync } from "node:fs";
import { HooklineError } from "@hookline/runtime";
import { Follower, messageOf, type RecordingBytes, systemClock } from "@hookline/runtime/internal";
import { busOn } from "../link/bus.ts";
import { connected, PATIENCE_MS } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import type { Access } from "../place/joined.ts";
import { type Collected, Collector, streamState } from "./collect.ts";
import { type Decision, decisionOf, otherVersion } from "./decision.ts";
import { storedIn } from "./read.ts";
import type { Fault } from "./verify.ts";

/** How long a tail waits before it asks again, in ms: an auditor may read the stream, and not listen to it. */
const EVERY_MS = 500;

/** What a tail has found since the last time. */
export interface Found {
  /** In the order of the stream. */
  readonly decisions: readonly Decision[];
  /** What was left out. */
  readonly faults: readonly Fault[];
  /** What hinders the reading, and what no longer does, in words. */
  readonly problems: readonly string[];
}

/**
 * Reads a fleet's decisions with an auditor's creds, and goes on as more arrive, until the signal is aborted. What it
 * gives first is all that the stream has. While the server is away it waits, and goes on behind the last message that
 * it has read. Rejects if the server cannot be reached at the beginning.
 *
 * A decision is given when it arrives: what a hook in shadow answers later is not in it.
 */
export async function* tailDecisions(
  { url, creds }: Access,
  { machine, signal }: { readonly machine?: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Found, void> {
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
    const growing = new Growing();
    let [next, known, seen, hasBegun, isAway] = [1, 0, 1, false, false];
    while (!signal.aborted) {
      const decisions: Decision[] = [];
      const problems: string[] = [];
      try {
        if (seen !== connections) {
          const current = connections;
          const { lastSeq } = await streamState(bus, fleet);
          seen = current;
          // After a power cut a server may have lost its last messages; machines send them again, under these numbers.
          if (lastSeq < next - 1) problems.push(`the server has lost messages ${lastSeq + 1} to ${next - 1}`);
          next = Math.min(next, lastSeq + 1);
        }
        for await (const stored of storedIn(bus, fleet, { machine, from: next })) {
          if (signal.aborted) return;
          next = stored.seq + 1;
          const recording = collector.take(stored);
          if (recording !== undefined) decisions.push(...growing.more(recording, problems));
        }
        if (isAway) problems.push("the server answers again");
        [hasBegun, isAway] = [true, false];
      } catch (thrown) {
        if (signal.aborted) return;
        if (!hasBegun) throw thrown;
        if (!isAway) problems.push(`the server does not answer: ${messageOf(thrown)}; waiting for it`);
        isAway = true;
      }
      yield { decisions, faults: collector.faults.slice(known), problems };
      known = collector.faults.length;
      await pause(signal);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    signal.removeEventListener("abort", end);
    link.close();
    collector?.close();
  }
}

/** Recordings that are read as they grow. */
class Growing {
  readonly #followers = new Map<string, Follower | "refused">();

  /** The decisions that a recording has had since the last time; another version of the format is told once. */
  more(recording: Collected, problems: string[]): Decision[] {
    const { path } = recording;
    const follower = this.#followers.get(path) ?? new Follower(bytesOf(path), path);
    if (follower === "refused") return [];
    this.#followers.set(path, follower);
    const found: Decision[] = [];
    try {
      for (const passed of follower.lines()) {
        if (passed.kind !== "moment") continue;
        const { header } = passed.section;
        const moment = momentIn(follower, passed);
        if (moment !== undefined) found.push(decisionOf(recording, { ...moment, header }));
      }
    } catch (thrown) {
      if (!HooklineError.isInstance(thrown) || thrown.code !== "RECORDING_VERSION") throw thrown;
      this.#followers.set(path, "refused");
      problems.push(otherVersion(recording));
    }
    return found;
  }
}

function momentIn(
  follower: Follower,
  passed: Parameters<Follower["moment"]>[0],
): ReturnType<Follower["moment"]> | undefined {
  try {
    return follower.moment(passed);
  } catch {
    // A damaged line is passed over, as in the list.
    return undefined;
  }
}

/** The bytes of a file that is open only while it is read: a fleet has more sessions than a process may have files. */
function bytesOf(path: string): RecordingBytes {
  return {
    read(into, from) {
      const fd = openSync(path, "r");
      try {
        return readSync(fd, into, 0, into.length, from);
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** Waits for the time between two rounds; shorter if the signal is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = systemClock.timer(EVERY_MS, done);
    timer.hold(true);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
