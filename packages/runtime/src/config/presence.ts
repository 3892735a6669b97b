import { type Diagnostic, place } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import type { StandInRule } from "../catalog/row.ts";
import { openRemedy } from "../consent/consent.ts";
import type { Candidate } from "../dialect/dialect.ts";
import type { Lane } from "../hook/lane.ts";
import type { Expected } from "./expected.ts";
import type { Loaded } from "./report.ts";

/** The state of an expected hook after a load. */
export interface Presence {
  /** Why it does not fully run; undefined if all its entries run. */
  readonly fault: string | undefined;
  /** The moments at which a stand-in answers for it: `prompt` if it is known to guard nothing. */
  readonly on: StandInRule["for"];
  /** The path of a person's identical copy that runs instead. */
  readonly twin?: string;
}

/** One load, with what the checks need to know. */
export interface LoadFacts {
  readonly loaded: readonly Loaded[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lanes: readonly Lane[];
  /** A path with all links resolved. */
  real(path: string): string;
  /** Whether there is a file at a path. */
  exists(path: string): boolean;
}

/** Whether an expected hook fully runs: every entry of its file runs, and the file has no error (decision 54). */
export function presenceOf(expected: Expected, facts: LoadFacts): Presence {
  const { loaded, diagnostics, real } = facts;
  const path = real(expected.path);
  const here = loaded.filter(({ candidate }) => real(candidate.source.path) === path);
  const mine = here.filter((one) => isMeant(expected, one, facts.lanes));
  const on = mine.length > 0 && mine.every((one) => !mayGuard(one.candidate, facts.lanes)) ? "prompt" : "guard";
  const copy = mine.find(({ candidate }) => candidate.twin !== undefined);
  if (copy?.candidate.twin !== undefined) return { fault: undefined, on, twin: copy.candidate.twin };
  if (mine.length === 0) return { fault: absence(expected, here.length > 0, facts), on };
  const idle = mine.find(({ state }) => state !== "runs");
  if (idle !== undefined) return { fault: faultOf(idle), on };
  const shadow = expected.by === "found" ? undefined : mine.find((one) => isShadowed(expected, one, facts.lanes));
  if (shadow !== undefined) return { fault: `${place(shadow.candidate.source)} ${IN_SHADOW}`, on };
  const open =
    expected.by === "found" ? undefined : mine.map((one) => one.open?.()).find((piece) => piece !== undefined);
  if (open !== undefined) return { fault: openRemedy(open), on };
  const problem = diagnostics.find(
    ({ severity, source }) => severity === "error" && source !== undefined && real(source.path) === path,
  );
  return { fault: expected.entry === undefined ? problem?.message : undefined, on };
}

/** Reported about a required hook that is in shadow. */
export const IN_SHADOW = "is in shadow, where it decides nothing; `hookline hooks enforce` puts it in force";

function isShadowed(expected: Expected, { candidate, shadow }: Loaded, lanes: readonly Lane[]): boolean {
  const shadowed = shadow?.() ?? [];
  return shadowed === "all" || shadowed.some(({ event }) => isOf(expected, candidate.lane, event, lanes));
}

/** Why an entry does not run; a reason that names the file is used alone. */
function faultOf({ candidate, state, reason = "it does not run" }: Loaded): string {
  const { path } = candidate.source;
  return reason.includes(path) ? reason : `${place(candidate.source)} is ${state}: ${reason}`;
}

/** Whether a lane's event is the expected one, by the dialect's name or the catalog's. */
export function isOf({ event }: Pick<Expected, "event">, lane: string, name: string, lanes: readonly Lane[]): boolean {
  if (event === undefined || event === name) return true;
  return lanes.some(({ id, rows }) => id === lane && rows.some((row) => row.name === name && row.of === event));
}

/** A module's events are unknown before it registers them, so any module may be the one that is meant. */
function isMeant(expected: Expected, { candidate, definition }: Loaded, lanes: readonly Lane[]): boolean {
  const { entry, event } = expected;
  if (entry !== undefined) return candidate.lane === entry.lane && definition() === entry.definition;
  const { events = [] } = candidate;
  return (
    event === undefined || events.length === 0 || events.some((name) => isOf(expected, candidate.lane, name, lanes))
  );
}

/** Whether a definition may refuse what the agent does: all its events are stated, and none of them is guarded, or not. */
export function mayGuard({ events = [], lane }: Candidate, lanes: readonly Lane[]): boolean {
  const rows = lanes.find(({ id }) => id === lane)?.rows ?? [];
  const guards = rows.filter(({ of }) => catalog.get(of)?.standIn?.for === "guard").map(({ name }) => name);
  return events.length === 0 || events.some((name) => guards.includes(name));
}

function absence({ path, event, entry }: Expected, hasOthers: boolean, { exists }: LoadFacts): string {
  if (!exists(path)) return "there is no such file";
  if (entry !== undefined) return hasOthers ? "its definition has changed" : "it was not found as a hook";
  return hasOthers ? `it has no hook for ${event}` : "nothing that is loaded reads it";
}
