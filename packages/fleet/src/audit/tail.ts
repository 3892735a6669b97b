import { closeSync, openSync, readSync } from "node:fs";
import { Follower, HooklineError, type RecordingBytes } from "../kit.ts";
import type { Access } from "../place/joined.ts";
import type { Collected } from "./collect.ts";
import { type AuditedDecision, decisionOf, otherVersion } from "./decision.ts";
import { followDecisions, type Heard } from "./follow.ts";

/** The decisions that a tail has found since it last yielded. */
export interface Found extends Pick<Heard, "faults" | "problems"> {
  /** The decisions in the order of the stream. */
  readonly decisions: readonly AuditedDecision[];
}

/**
 * Yields the decisions of a fleet as `followDecisions` reads them. Each is yielded when it arrives, without the answers
 * of hooks in shadow, which come later.
 */
export async function* tailDecisions(
  auditor: Access,
  { machine, signal }: { readonly machine?: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Found, void> {
  const growing = new Growing();
  let decisions: AuditedDecision[] = [];
  let refused: string[] = [];
  const took = (recording: Collected): void => void decisions.push(...growing.more(recording, refused));
  for await (const { faults, problems } of followDecisions(auditor, { machine, signal, took })) {
    yield { decisions, faults, problems: [...refused, ...problems] };
    [decisions, refused] = [[], []];
  }
}

/** Recordings that are read as they grow. */
class Growing {
  readonly #followers = new Map<string, Follower | "refused">();

  /** Returns the recording's new decisions. A recording in another version of the format is reported once. */
  more(recording: Collected, problems: string[]): AuditedDecision[] {
    const { path } = recording;
    const follower = this.#followers.get(path) ?? new Follower(bytesOf(path), path);
    if (follower === "refused") return [];
    this.#followers.set(path, follower);
    const found: AuditedDecision[] = [];
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
    // A damaged line is skipped, as `fleet audit list` skips it.
    return undefined;
  }
}

/**
 * Reads a file's bytes and opens the file only for each read: a fleet has more sessions than a process may have open
 * files.
 */
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
