import { place } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, LaneRow, Plan, Scene, Station } from "../hook/lane.ts";

/** A hook that would run; `why` is its schedule, matcher, limits, and the effect of its failure. */
export interface PlannedHook {
  readonly id: string;
  readonly dialect: string;
  readonly lane: string;
  readonly source: string;
  /** The position in the order of asking, from 1. */
  readonly order: number;
  readonly why: string;
}

/** A hook that would not run, and why not. */
export interface OtherHook {
  readonly id: string;
  readonly source: string;
  readonly why: string;
}

/** The reason why a hook in shadow is not in the plan: it is asked after the decision, and decides nothing. */
export const IN_SHADOW = "shadow";

const LISTENS = "it listens to ";

/** Returns the reason why a hook that listens to other events is not in the plan. */
export function listening(lane: string, events: readonly string[], event: string): string {
  return `${LISTENS}${events.map((name) => `${lane}:${name}`).join(", ")}, not to ${event}`;
}

/** Returns whether a hook is not in the plan because it belongs to another event. */
export function listensElsewhere({ why }: OtherHook): boolean {
  return why.startsWith(LISTENS);
}

/** The hooks that would run for an event, and the others with the reason why they would not. */
export interface Explanation {
  readonly event: string;
  /** The value that matchers are compared with, if the event has one. */
  readonly subject: unknown;
  readonly plan: readonly PlannedHook[];
  readonly others: readonly OtherHook[];
}

/** A hook, with the lane in which it is registered. */
export interface Registered {
  readonly lane: Lane;
  readonly hook: Hook;
}

/** Computes the plan of a catalog event for a sample payload without running a hook. */
export function explain(
  row: CatalogRow,
  plan: Plan | undefined,
  all: readonly Registered[],
  payload: object,
  scene: Scene,
): Explanation {
  const sampled = (stations: readonly Station[] = []): Sampled[] =>
    stations.map((station) => ({
      station,
      row,
      closed: elsewhere(station.row, payload, scene),
      see: () => station.row.view.get(payload as never, scene),
    }));
  const subject = row.subject === undefined ? undefined : (payload as Record<string, unknown>)[row.subject];
  return {
    event: row.name,
    subject,
    ...sorted(sampled(plan?.stations), sampled(plan?.shadow?.stations), all, row.name),
  };
}

/** Computes the plan of one lane's event, for a sample in the dialect's own form. */
export function explainLane(
  station: Station,
  of: CatalogRow | undefined,
  all: readonly Registered[],
  event: object,
  isShadow: (hook: Hook) => boolean = () => false,
): Explanation {
  const { lane, row } = station;
  const sampled = (hooks: readonly Hook[]): Sampled[] => [
    { station: { ...station, hooks }, row: of, closed: undefined, see: () => event },
  ];
  const name = `${lane.id}:${row.name}`;
  const subject = row.subject === undefined ? undefined : (event as Record<string, unknown>)[row.subject];
  return {
    event: name,
    subject,
    ...sorted(
      sampled(station.hooks.filter((hook) => !isShadow(hook))),
      sampled(station.hooks.filter(isShadow)),
      all,
      name,
    ),
  };
}

interface Sampled {
  readonly station: Station;
  /** The row of the catalog event; `undefined` if there is none. */
  readonly row: CatalogRow | undefined;
  /** The reason why no hook of the station is asked; `undefined` if they are asked. */
  readonly closed: string | undefined;
  /** Returns the event as the station's hooks see it; may throw. */
  see(): unknown;
}

function sorted(
  stations: readonly Sampled[],
  shadows: readonly Sampled[],
  all: readonly Registered[],
  event: string,
): Pick<Explanation, "plan" | "others"> {
  const plan: PlannedHook[] = [];
  const others: OtherHook[] = [];
  const mentioned = new Set<Hook>();
  for (const { station, row: of, closed, see } of stations) {
    const { lane, row, hooks } = station;
    for (const hook of hooks) {
      mentioned.add(hook);
      const about = { id: hook.id, source: place(hook.source) };
      const missed = closed ?? filtered(hook, see);
      if (missed !== undefined) others.push({ ...about, why: missed });
      else {
        const dialect = hook.source.dialect ?? lane.id;
        plan.push({ ...about, dialect, lane: lane.id, order: plan.length + 1, why: rule(lane, row, of, hook) });
      }
    }
  }
  for (const { station, closed, see } of shadows) {
    for (const hook of station.hooks) {
      mentioned.add(hook);
      others.push({ id: hook.id, source: place(hook.source), why: closed ?? filtered(hook, see) ?? IN_SHADOW });
    }
  }
  for (const { lane, hook } of all) {
    if (mentioned.has(hook)) continue;
    others.push({
      id: hook.id,
      source: place(hook.source),
      why: listening(lane.id, [hook.event], event),
    });
  }
  return { plan, others };
}

function elsewhere(cells: LaneRow, payload: object, scene: Scene): string | undefined {
  try {
    return cells.when === undefined || cells.when(payload as never, scene)
      ? undefined
      : `${cells.name} does not fire for this ${cells.of}`;
  } catch {
    return undefined;
  }
}

/** Returns the reason why a hook whose matcher does not match is not asked. */
export function notMatched(filter: string | undefined): string {
  return `its filter does not match: ${filter ?? "a filter"}`;
}

function filtered(hook: Hook, see: () => unknown): string | undefined {
  if (hook.match === undefined) return undefined;
  try {
    return hook.match(see() as never) ? undefined : notMatched(hook.filter);
  } catch {
    // A matcher that throws must not let an event past a guard, so the hook would run.
    return undefined;
  }
}

/** Describes how a hook runs: its lane, the row's schedule, its matcher, its limits, and the effect of its failure. */
function rule(lane: Lane, cells: LaneRow, of: CatalogRow | undefined, hook: Hook): string {
  const parts = [`lane ${lane.id}`, `${cells.name} (${cells.kind})`, SCHEDULES[cells.schedule]];
  parts.push(hook.filter === undefined ? "no filter" : `filter ${hook.filter} matches`);
  const limit = hook.transportMs ?? hook.timeoutMs ?? cells.timeoutMs ?? Number.POSITIVE_INFINITY;
  if (limit !== Number.POSITIVE_INFINITY) parts.push(`limit ${limitText(limit)}`);
  parts.push(whenItFails(cells, of, hook));
  return parts.join("; ");
}

const SCHEDULES = {
  series: "one after the other until the outcome is settled",
  all: "all in order",
  parallel: "all at once",
} as const;

function whenItFails(cells: LaneRow, of: CatalogRow | undefined, hook: Hook): string {
  if (cells.kind === "observe" || cells.kind === "shutdown") return "a failure is reported";
  if (hook.failClosed && cells.kind === "guard") return "a failure refuses: fails closed";
  if ((hook.failClosed || of?.closed) && of?.withhold !== undefined)
    return "a failure withholds what it redacts: fails closed";
  const counts = (cause: "threw" | "timeout"): boolean => {
    try {
      return cells.failed({ cause, message: "it failed" }, hook) !== undefined;
    } catch {
      return true;
    }
  };
  const [threw, late] = [counts("threw"), counts("timeout")];
  const guard = cells.kind === "guard";
  if (threw && late) return guard ? "a failure refuses: fails closed" : "a failure counts as an answer";
  const engine = guard ? "; refuses where it cannot be run at all" : "";
  if (late) return `a timeout refuses, another failure fails open${engine}`;
  return `a failure changes nothing: fails open${engine}`;
}

const UNITS = [
  [60_000, "min"],
  [1000, "s"],
] as const;

/** Formats a time limit in the largest unit of which it is a whole number: `600000` is `10 min`. */
export function limitText(limitMs: number): string {
  const [size, unit] = UNITS.find(([one]) => limitMs >= one && limitMs % one === 0) ?? [1, "ms"];
  return `${limitMs / size} ${unit}`;
}
