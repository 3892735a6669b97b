import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { clockOf, HOUR_S, lastPause, makeRunFolder, type Pause, pausedUntil, pausePlace } from "../client/place.ts";
import { openLog } from "./log.ts";

/** How long after the end of a pause no new one may begin, in seconds. */
const REST_S = HOUR_S;

/** The state of the pause of the guards, as shown to a person. */
export interface PauseState {
  /** The end of the current pause, in epoch ms. */
  readonly until?: number;
  /** The earliest start of the next pause, in epoch ms; absent if one may begin now. */
  readonly nextFrom?: number;
}

/** Returns whether guards are paused, and when they may be paused again. */
export function pauseState(hooklineHome: string, nowMs: number = Date.now()): PauseState {
  const until = pausedUntil(hooklineHome, nowMs);
  const nextFrom = ((lastPause(hooklineHome)?.until ?? 0) + REST_S) * 1000;
  return { ...(until !== undefined && { until }), ...(nextFrom > nowMs && { nextFrom }) };
}

/** Describes a pause to a person; empty if there is none and one may begin. */
export function pauseSays({ until, nextFrom }: PauseState): readonly string[] {
  const next = nextFrom === undefined ? "" : `the next pause may begin at ${clockOf(nextFrom)}`;
  if (until === undefined) return next === "" ? [] : [next];
  return [`yours and those of projects are paused until ${clockOf(until)}; \`hookline bridge resume\` ends that`];
}

/** Returns why no pause may begin now; `undefined` if one may. */
export function pauseRefusal(hooklineHome: string, nowMs: number = Date.now()): string | undefined {
  const { file } = pausePlace(hooklineHome);
  const { until, nextFrom } = pauseState(hooklineHome, nowMs);
  if (until !== undefined) return `Guards are paused until ${clockOf(until)} already. A pause cannot be renewed.`;
  if (nextFrom !== undefined)
    return `The last pause ended less than an hour ago. The next one may begin at ${clockOf(nextFrom)}.`;
  if (existsSync(file) && lastPause(hooklineHome) === undefined)
    return `${file} is not what this command writes, or other users can write to it. Read it, then remove it.`;
  return undefined;
}

/** Pauses the guards now; returns the end in epoch ms. Throws if other users have access to the folder of the pause. */
export function beginPause(hooklineHome: string, minutes: number, by: string, nowMs: number = Date.now()): number {
  const from = Math.floor(nowMs / 1000);
  const until = from + minutes * 60;
  write(hooklineHome, { from, until }, `guards are paused until ${clockOf(until * 1000)}, by ${by}`);
  return until * 1000;
}

/** Ends the current pause; false if there is none. */
export function endPause(hooklineHome: string, nowMs: number = Date.now()): boolean {
  const pause = lastPause(hooklineHome);
  if (pause === undefined || pausedUntil(hooklineHome, nowMs) === undefined) return false;
  write(hooklineHome, { ...pause, until: Math.floor(nowMs / 1000) }, "the pause was ended before its time");
  return true;
}

/** Writes the pause. The file stays after the pause, since it determines when the next one may begin. */
function write(hooklineHome: string, { from, until }: Pause, line: string): void {
  const { folder, file } = pausePlace(hooklineHome);
  makeRunFolder(folder);
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `from ${from} until ${until}\n`, { mode: 0o600 });
  renameSync(fresh, file);
  openLog(`${folder}/pause.log`)(line);
}
