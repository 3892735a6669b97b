import { catalog } from "../catalog/catalog.ts";
import type { StandInRule } from "../catalog/row.ts";
import { type Diagnostic, place } from "../error/diagnostic.ts";
import type { Lane } from "../hook/lane.ts";
import { openRemedy } from "./consent.ts";
import type { Expected } from "./expected.ts";
import type { Loaded } from "./report.ts";

/** What is known of an expected hook after a load. */
export interface Presence {
  /** Why it does not run whole, in words; undefined where every entry of it runs. */
  readonly fault: string | undefined;
  /** The moments at which its absence is answered: `prompt` where it is known to guard nothing. */
  readonly on: StandInRule["for"];
  /** The path of an identical copy of a person's that runs in its place. */
  readonly twin?: string;
}

/** One load, as far as it matters to what is expected of it. */
export interface LoadFacts {
  readonly loaded: readonly Loaded[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lanes: readonly Lane[];
  /** A path with all links resolved. */
  real(path: string): string;
  /** Whether there is a file at a path. */
  exists(path: string): boolean;
}

/** Whether an expected hook runs whole: every entry of its file, and no error in it (decision 54). */
export function presenceOf(expected: Expected, facts: LoadFacts): Presence {
  const { loaded, diagnostics, real } = facts;
  const path = real(expected.path);
  const here = loaded.filter(({ candidate }) => real(candidate.source.path) === path);
  const mine = here.filter((one) => isMeant(expected, one, facts.lanes));
  const on = mine.length > 0 && mine.every((one) => isKnownHarmless(one, facts.lanes)) ? "prompt" : "guard";
  const copy = mine.find(({ candidate }) => candidate.twin !== undefined);
  if (copy?.candidate.twin !== undefined) return { fault: undefined, on, twin: copy.candidate.twin };
  if (mine.length === 0) return { fault: absence(expected, here.length > 0, facts), on };
  const idle = mine.find(({ state }) => state !== "runs");
  if (idle !== undefined) return { fault: faultOf(idle), on };
  const open =
    expected.by === "found" ? undefined : mine.map((one) => one.open?.()).find((piece) => piece !== undefined);
  if (open !== undefined) return { fault: openRemedy(open), on };
  const problem = diagnostics.find(
    ({ severity, source }) => severity === "error" && source !== undefined && real(source.path) === path,
  );
  return { fault: expected.entry === undefined ? problem?.message : undefined, on };
}

/** Why an entry does not run; a reason that names its file says so by itself. */
function faultOf({ candidate, state, reason = "it does not run" }: Loaded): string {
  const { path } = candidate.source;
  return reason.includes(path) ? reason : `${place(candidate.source)} is ${state}: ${reason}`;
}

/** Whether a lane's event is the one that is expected, in the dialect's words or the catalog's. */
export function isOf({ event }: Pick<Expected, "event">, lane: string, name: string, lanes: readonly Lane[]): boolean {
  if (event === undefined || event === name) return true;
  return lanes.some(({ id, rows }) => id === lane && rows.some((row) => row.name === name && row.of === event));
}

/** A module's events are not known before it registers them, so that each module may be the one that is meant. */
function isMeant(expected: Expected, { candidate, definition }: Loaded, lanes: readonly Lane[]): boolean {
  const { entry, event } = expected;
  if (entry !== undefined) return candidate.lane === entry.lane && definition() === entry.definition;
  const { events = [] } = candidate;
  return (
    event === undefined || events.length === 0 || events.some((name) => isOf(expected, candidate.lane, name, lanes))
  );
}

/** Whether a definition says all that it listens to, and none of it is a guarded moment. */
function isKnownHarmless({ candidate }: Loaded, lanes: readonly Lane[]): boolean {
  const { events = [] } = candidate;
  const rows = lanes.find(({ id }) => id === candidate.lane)?.rows ?? [];
  const guards = rows.filter(({ of }) => catalog.get(of)?.standIn?.for === "guard").map(({ name }) => name);
  return events.length > 0 && !events.some((name) => guards.includes(name));
}

function absence({ path, event, entry }: Expected, hasOthers: boolean, { exists }: LoadFacts): string {
  if (!exists(path)) return "there is no such file";
  if (entry !== undefined) return hasOthers ? "its definition has changed" : "it was not found as a hook";
  return hasOthers ? `it has no hook for ${event}` : "nothing that is loaded reads it";
}
