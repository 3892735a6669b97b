import { readVariable } from "./proc.ts";

/**
 * The variable that marks every process of a run: `run.call` segments joined by `/`, outermost run first. A run inside
 * another run's hook adds its own segment, so that the outer run can still find what the inner one left. A program that
 * is meant to outlive the run clears the variable.
 */
export const RUN_VARIABLE = "HOOKLINE_RUN_ID";

/** The limit of segments. Deeper nesting drops the outermost ones, which keeps the variable short. */
const MAX_SEGMENTS = 16;

const WELL_FORMED = /^[A-Za-z0-9_.-]{1,96}(?:\/[A-Za-z0-9_.-]{1,96}){0,63}$/;

/** Returns the marker of one call: the host's own marker, then the call's segment. */
export function markerFor(outer: string | undefined, segment: string): string {
  const above = outer !== undefined && WELL_FORMED.test(outer) ? outer.split("/") : [];
  return [...above, segment].slice(-MAX_SEGMENTS).join("/");
}

/**
 * Returns whether a segment of the marker in a process's environment passes the test `accepts`; `undefined` while the
 * process shows no environment.
 */
export function isMarked(pid: number, accepts: (segment: string) => boolean): boolean | undefined {
  const { value, blank } = readVariable(pid, RUN_VARIABLE);
  return blank ? undefined : (value?.split("/").some(accepts) ?? false);
}

/** Returns the number of the call of a run that a process belongs to; `undefined` if the process shows none. */
export function callOf(pid: number, runId: string): number | undefined {
  const segments = readVariable(pid, RUN_VARIABLE).value?.split("/") ?? [];
  const own = segments.find((segment) => segment.startsWith(`${runId}.`));
  return own === undefined ? undefined : Number(own.slice(runId.length + 1));
}

/** Returns whether a text is a valid run id, which becomes part of a variable and of a file name. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}
