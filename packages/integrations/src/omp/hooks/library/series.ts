import type { Outcome } from "@hookline/runtime";
import type { Instance, Lane, LaneRow } from "@hookline/runtime/dialect";
import { last } from "@hookline/runtime/dialect";
import type { CatalogRow, Hook } from "@hookline/runtime/engine";
import { catalog, Deadlines, dispatch, HookMetrics } from "@hookline/runtime/engine";
import type { Owner } from "../../../in-process/owner.ts";
import { hookRows } from "../events.ts";
import { told } from "../views.ts";

/** Asks hooks about one of HookAPI's own events, without a host around it. */
export interface Asker {
  hook(instance: Instance, event: string, run: Hook["run"]): Hook;
  /** Asks the hooks, also those added to `hooks` during the event. `answer.outcome` is their folded answer. */
  ask(event: { readonly type: string }, hooks: readonly Hook[]): Outcome | Promise<Outcome>;
}

/** Makes an `Asker` for one module. It uses the module's clock, and problems are reported as the module's. */
export function createAsker({ around, instance }: Owner): Asker {
  const deadlines = new Deadlines(around.clock);
  instance.own(() => deadlines.close());
  return {
    hook: (own, event, run) => ({
      id: `${own.lane}:${own.source.path}#${event}`,
      event,
      path: own.source.path,
      source: own.source,
      instance: own,
      run,
      match: undefined,
      filter: undefined,
      timeoutMs: undefined,
      fits: undefined,
      reach: undefined,
      transportMs: undefined,
      retry: 0,
      onError: undefined,
      failClosed: false,
      metrics: new HookMetrics(),
      carries: undefined,
      fault: undefined,
    }),
    ask(event, hooks) {
      const row = direct(event.type);
      const plan = { row: wholeOf(row), stations: [{ lane, row, hooks }] };
      return dispatch(plan, event, {
        scene: around.scene,
        clock: around.clock,
        deadlines,
        signal: undefined,
        trace: false,
        report: (diagnostic) => instance.report(diagnostic),
      });
    },
  };
}

/** The lane passes the same event object to all handlers, as omp's own runner does. */
const lane: Lane = { id: "omp-hooks", rows: hookRows, isolate: false, live: true };

/**
 * The changes that `direct` makes to HookAPI's rows: an error in a handler is thrown to the caller, and all handlers
 * see the original input.
 */
const differing: Readonly<Record<string, Partial<LaneRow>>> = {
  tool_call: {
    feeds: {},
    failed: ({ error, message }) => ({ block: true, thrown: [error ?? new Error(message)] }) as never,
  },
};

/**
 * Returns HookAPI's row for an event without conversions: handlers get the event object itself, and their folded answer
 * is the outcome.
 */
function direct(type: string): LaneRow {
  const row = hookRows.find(({ name }) => name === type) ?? told({}, type, "agent.start", () => ({}));
  const view: LaneRow["view"] = { get: (event) => event, put: (outcome: unknown) => ({ outcome }) };
  return { ...row, ...differing[type], when: () => true, view };
}

/** Makes the catalog row that a row of `direct` belongs to. It passes the outcome of that row on unchanged. */
function wholeOf(row: LaneRow): CatalogRow {
  const { guard: _, ...rest } = catalog.get(row.of) as CatalogRow;
  return { ...rest, name: row.name, schedule: "all", fold: last() as CatalogRow["fold"], feeds: {} };
}
