import { type Diagnostic, once, place } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import type { StandInRule } from "../catalog/row.ts";
import { openRemedy } from "../consent/consent.ts";
import type { Candidate } from "../dialect/dialect.ts";
import type { Lane } from "../hook/lane.ts";
import type { Expected } from "./expected.ts";
import type { Loaded } from "./report.ts";

/** The state of an expected hook after a load. */
export interface Presence {
  /** Why the hook does not fully run; `undefined` if all its entries run. */
  readonly fault: string | undefined;
  /** The events that a stand-in refuses for the hook: guarded ones, or prompts for a hook that guards nothing. */
  readonly on: StandInRule["for"];
  /** The path of the person's own identical copy, if that runs instead of the expected hook. */
  readonly twin?: string;
}

/** The facts about one load that the checks need. */
export interface LoadFacts {
  readonly loaded: readonly Loaded[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lanes: readonly Lane[];
  /** Returns a path with all links resolved. */
  real(path: string): string;
  /** Returns whether there is a file at a path. */
  exists(path: string): boolean;
}

/**
 * Returns a function that checks whether an expected hook fully runs: all definitions that it names run, and its file
 * has no error, except if a lock names a single entry (ruling 54). Groups the loaded definitions only once.
 */
export function presences(facts: LoadFacts): (expected: Expected) => Presence {
  const { loaded, diagnostics, real } = facts;
  const byPath = Map.groupBy(loaded, ({ candidate }) => real(candidate.source.path));
  const byEntry = new Map([...byPath].map(([path, here]) => [path, once(() => Map.groupBy(here, entryOf))]));
  const problems = new Map<string, string>();
  for (const { severity, source, message } of diagnostics) {
    const path = severity === "error" && source !== undefined ? real(source.path) : undefined;
    if (path !== undefined && !problems.has(path)) problems.set(path, message);
  }
  return (expected) => {
    const path = real(expected.path);
    const here = byPath.get(path) ?? [];
    const { entry } = expected;
    const mine =
      entry === undefined
        ? here.filter(({ candidate }) => isMeant(expected, candidate, facts.lanes))
        : (byEntry.get(path)?.().get(keyOf(entry)) ?? []);
    return presenceAmong({ here, mine, problem: problems.get(path) }, expected, facts);
  };
}

/** Returns the key by which a lock identifies an entry: its lane and its definition. */
function keyOf({ lane, definition }: NonNullable<Expected["entry"]>): string {
  return `${lane} ${definition}`;
}

function entryOf({ candidate: { lane }, definition }: Loaded): string {
  return keyOf({ lane, definition: definition() });
}

/** The definitions that were loaded from the file of one expected hook. */
interface Among {
  readonly here: readonly Loaded[];
  /** The definitions in the file that the requirement is about: all, or those for one event or one lock entry. */
  readonly mine: readonly Loaded[];
  /** The first error of the file. */
  readonly problem: string | undefined;
}

function presenceAmong({ here, mine, problem }: Among, expected: Expected, facts: LoadFacts): Presence {
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
  return { fault: expected.entry === undefined ? problem : undefined, on };
}

/** The fault of a required hook that is in shadow. */
export const IN_SHADOW = "is in shadow, where it decides nothing; `hookline hooks enforce` puts it in force";

function isShadowed(expected: Expected, { candidate, shadow }: Loaded, lanes: readonly Lane[]): boolean {
  const shadowed = shadow?.() ?? [];
  return shadowed === "all" || shadowed.some(({ event }) => isOf(expected, candidate.lane, event, lanes));
}

/** Returns why a definition does not run. Adds its place and state, unless the reason names the file. */
function faultOf({ candidate, state, reason = "it does not run" }: Loaded): string {
  const { path } = candidate.source;
  return reason.includes(path) ? reason : `${place(candidate.source)} is ${state}: ${reason}`;
}

/** Returns whether an event of a lane is the expected one, by the dialect's name for it or the catalog's. */
export function isOf({ event }: Pick<Expected, "event">, lane: string, name: string, lanes: readonly Lane[]): boolean {
  if (event === undefined || event === name) return true;
  return lanes.some(({ id, rows }) => id === lane && rows.some((row) => row.name === name && row.of === event));
}

/**
 * Returns whether a definition may have the expected event. A module's events are unknown until it registers them, so
 * any module may.
 */
function isMeant(expected: Expected, { lane, events = [] }: Candidate, lanes: readonly Lane[]): boolean {
  return (
    expected.event === undefined || events.length === 0 || events.some((name) => isOf(expected, lane, name, lanes))
  );
}

/**
 * Returns whether a definition may refuse what the agent does: one of its events is guarded, or it does not list its
 * events.
 */
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
