import type { CatalogRow, Cause, Lane, LaneRow } from "@hookline/runtime/engine";
import { wrongFolds } from "./fold.ts";
import type { Pool } from "./pool.ts";
import { wrongReads } from "./read.ts";

/** A row with one wrong cell. */
export interface Flip {
  /** The name of the cell in the row. */
  readonly cell: string;
  /** The wrong value. */
  readonly now: string;
  /** The row with the wrong cell. */
  readonly row: LaneRow;
  /** The event's field, if the cell is the feed of one. */
  readonly field?: string;
}

/** A row and its position in the tables. */
export interface Spot {
  readonly lane: Lane;
  readonly row: LaneRow;
  readonly host: CatalogRow;
}

/** Whether the answers of a row's handlers are dropped. */
export function isTold({ kind }: LaneRow): boolean {
  return kind === "observe" || kind === "shutdown";
}

/**
 * Returns every row with one wrong cell. Missing cells, such as a limit or a chain, are flipped too. Columns that no
 * dispatch reads are left alone: `subject` and `since` are for reports, and a dialect's own columns are for its loader.
 */
export function flipsOf(spot: Spot, pool: Pool): Flip[] {
  const { row } = spot;
  const found: Flip[] = [];
  const flip = (cell: string, now: string, change: Partial<LaneRow>, field?: string): void => {
    found.push({ cell, now, row: { ...row, ...change }, ...(field !== undefined && { field }) });
  };
  flip("of", "another event", { of: row.of === "todo.reminder" ? "input.sent" : "todo.reminder" });
  // The loop treats the kinds within each of the two groups alike.
  flip("kind", isTold(row) ? "transform" : "observe", { kind: isTold(row) ? "transform" : "observe" });
  for (const schedule of ["series", "all", "parallel"] as const)
    if (schedule !== row.schedule) flip("schedule", schedule, { schedule });
  if (row.when !== undefined) {
    flip("when", "always", { when: () => true });
    flip("when", "never", { when: () => false });
  }
  for (const [now, wrong] of wrongFolds(row)) flip("fold", now, { fold: wrong });
  for (const [now, wrong] of wrongReads(row)) flip("read", now, { read: wrong });
  for (const cause of causes(spot, pool)) {
    flip("failed", `open when ${cause}`, { failed: failing(row, cause, undefined) });
    const { closed } = pool;
    if (closed !== undefined) flip("failed", `closed when ${cause}`, { failed: failing(row, cause, closed) });
  }
  flip("failed", "another text", { failed: (failure, hook) => reworded(row.failed(failure, hook)) as never });
  for (const field of new Set([...Object.keys(row.feeds), ...pool.fields])) {
    for (const feed of ["original", "chain", "draft"] as const)
      if (feed !== (row.feeds[field] ?? "original"))
        flip(`feeds.${field}`, feed, { feeds: { ...row.feeds, [field]: feed } }, field);
  }
  for (const field of pool.shown) {
    const get = (payload: never, scene: never) => without(row.view.get(payload, scene), field);
    flip("get", `no ${field}`, { view: { ...row.view, get } });
  }
  if (!isTold(row)) flip("put", "nothing", { view: { ...row.view, put: () => undefined } });
  for (const field of pool.edited) {
    const put: LaneRow["view"]["put"] = (outcome, payload, scene) =>
      without(row.view.put(outcome, payload, scene), field);
    flip("put", `no ${field}`, { view: { ...row.view, put } });
  }
  for (const ms of limits(row.timeoutMs, 60_000)) flip("timeoutMs", String(ms), limited("timeoutMs", ms));
  for (const ms of limits(row.budgetMs, 30_000)) flip("budgetMs", String(ms), limited("budgetMs", ms));
  return found;
}

/** Returns the reasons why a handler of this lane may have no answer, as far as its row is called for them. */
export function causes({ lane, row, host }: Spot, { unreadable }: Pool): Cause[] {
  if (lane.isolate) return unreadable ? ["threw", "timeout", "bad"] : ["threw", "timeout"];
  const own: Cause[] = ["exited", "timeout", "bad"];
  if (row.budgetMs !== undefined) own.push("chain");
  // The engine itself refuses a guard's call after its own failures, and an abort ends the event: the row is not
  // called.
  if (host.guard === undefined) own.push("engine");
  return own;
}

function failing(row: LaneRow, cause: Cause, answer: unknown): LaneRow["failed"] {
  return (failure, hook) => (failure.cause === cause ? (answer as never) : row.failed(failure, hook));
}

function reworded(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, typeof value === "string" ? `${value}, or so` : value]),
  );
}

function limits(ms: number | undefined, otherwise: number): readonly number[] {
  return ms === undefined ? [otherwise] : [Number.POSITIVE_INFINITY, ms / 2, ms * 2];
}

function limited(cell: "timeoutMs" | "budgetMs", ms: number): Partial<LaneRow> {
  return { [cell]: ms };
}

function without(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return value;
  const { [field]: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
