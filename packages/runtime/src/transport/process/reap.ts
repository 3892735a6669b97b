import type { Clock } from "@hookline/ground";
import { callOf } from "./marker.ts";
import { keepAwake } from "./presence.ts";
import { programName } from "./proc.ts";
import { deadRuns } from "./run-file.ts";
import { endTree, HURRIED_GRACE_MS } from "./tree.ts";

/** The result of ending what earlier runs left behind. */
export interface ReapReport {
  /** The ids of the runs whose host ended without cleaning up. */
  readonly runs: readonly string[];
  /** The names of the programs that were ended. */
  readonly ended: readonly string[];
  /** The pids of processes of these runs that are still alive. */
  readonly survivors: readonly number[];
}

/**
 * Ends the processes that earlier runs left behind when their host was killed (guarantees R5). Call it when a host
 * starts.
 *
 * A process is recognised by the marker in its start environment, read just before the signal, so that a reused pid is
 * never hit. Runs whose host is alive are left alone.
 */
export async function reapOrphans(stateDir: string, clock: Clock): Promise<ReapReport> {
  const runs: string[] = [];
  const ended = new Set<string>();
  const survivors = new Set<number>();
  const rest = keepAwake();
  try {
    for (const { record, mayHaveLeft, forget } of deadRuns(stateDir)) {
      const left = mayHaveLeft
        ? await endRun(record.runId, record.startTicks, clock, (program = "?") => void ended.add(program))
        : [];
      runs.push(record.runId);
      for (const pid of left) survivors.add(pid);
      // The record of a run with survivors is kept, so that the next start tries again.
      if (left.length === 0) forget();
    }
  } finally {
    rest();
  }
  return { runs, ended: [...ended], survivors: [...survivors] };
}

/**
 * Ends every process with a marker of the run. For each one that belongs to a hook's call, calls `tell` with its
 * program and the call's number, if known. Returns the pids that survived.
 */
export function endRun(
  runId: string,
  sinceTicks: number,
  clock: Clock,
  tell: (program: string | undefined, call: number | undefined) => void,
): Promise<readonly number[]> {
  const accepts = (segment: string): boolean => segment.startsWith(`${runId}.`);
  const found = (pid: number): void => {
    const call = callOf(pid, runId);
    // The shell that makes pipes has a marker without a call's number. No hook left it behind, so it is not reported.
    if (!Number.isNaN(call)) tell(programName(pid), call);
  };
  return endTree({ accepts, found, sinceTicks }, HURRIED_GRACE_MS, clock);
}
