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
  /** Hooks that are added to the list while it is asked are asked too. `answer.outcome` is the folded answer. */
  ask(event: { readonly type: string }, hooks: readonly Hook[]): Outcome | Promise<Outcome>;
}

/** Makes an asker that works with the clock, and reports in the name, of one module. */
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

/** One event object for all handlers, as in omp's own runner. */
const lane: Lane = { id: "omp-hooks", rows: hookRows, isolate: false, live: true };

/** Columns of rows that differ: a handler's failure is thrown at the caller, and all handlers see the original input. */
const differing: Readonly<Record<string, Partial<LaneRow>>> = {
  tool_call: {
    feeds: {},
    failed: ({ error, message }) => ({ block: true, thrown: [error ?? new Error(message)] }) as never,
  },
};

/** A row of HookAPI that sees the event as it is and whose folded answer is the outcome. */
function direct(type: string): LaneRow {
  const row = hookRows.find(({ name }) => name === type) ?? told({}, type, "agent.start", () => ({}));
  const view: LaneRow["view"] = { get: (event) => event, put: (outcome: unknown) => ({ outcome }) };
  return { ...row, ...differing[type], when: () => true, view };
}

/** The catalog's part of it, which passes the outcome on. */
function wholeOf(row: LaneRow): CatalogRow {
  const { guard: _, ...rest } = catalog.get(row.of) as CatalogRow;
  return { ...rest, name: row.name, schedule: "all", fold: last() as CatalogRow["fold"], feeds: {} };
}
