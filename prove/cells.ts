import type { Dialect, Lane, LaneRow } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import { runCase } from "../conformance/case.ts";
import { readCases } from "../conformance/requirement.ts";
import type { Claim } from "./claim.ts";

interface Flip {
  readonly name: string;
  readonly row: LaneRow;
}

/** Every way in which one cell of a row can be wrong. */
function flips(row: LaneRow): Flip[] {
  const found: Flip[] = [];
  const flip = (name: string, change: Partial<LaneRow>): void => void found.push({ name, row: { ...row, ...change } });
  if (row.kind !== "observe" && row.kind !== "shutdown") {
    flip("schedule", { schedule: row.schedule === "series" ? "all" : "series" });
    flip("fold", { fold: firstOnly(row.fold) });
    flip("read", { read: ((raw: unknown) => ({ ok: true, answer: raw })) as never });
    flip("put", { view: { ...row.view, put: () => undefined } });
    flip("failed", {
      failed:
        row.failed({ cause: "threw", message: "flipped" }, { id: "h", path: "h", onError: undefined }) === undefined
          ? () => ({ flipped: true }) as never
          : () => undefined,
    });
  }
  for (const [field, feed] of Object.entries(row.feeds)) {
    for (const other of ["original", "chain", "draft"] as const) {
      if (other !== feed) flip(`feeds.${field}=${other}`, { feeds: { ...row.feeds, [field]: other } });
    }
  }
  flip("get", { view: { ...row.view, get: () => ({}) } });
  if (row.when !== undefined) flip("when", { when: () => !0 });
  if (row.budgetMs !== undefined) flip("budgetMs", { budgetMs: Number.POSITIVE_INFINITY });
  return found;
}

/** A fold that keeps the first answer only. */
function firstOnly(fold: LaneRow["fold"]): LaneRow["fold"] {
  return { ...fold, step: (state, answer) => (state === fold.empty ? fold.step(state, answer) : state) };
}

function withRow(dialect: Dialect, lane: Lane, old: LaneRow, row: LaneRow): Dialect {
  return {
    ...dialect,
    lanes: dialect.lanes.map((one) =>
      one === lane ? { ...lane, rows: lane.rows.map((other) => (other === old ? row : other)) } : one,
    ),
  };
}

export const claim: Claim = {
  name: "cells",
  says: "each cell of each dialect row, flipped, turns that dialect's conformance red",
  async run() {
    const notes: string[] = [];
    let n = 0;
    for (const dialect of dialects) {
      const cases = readCases(dialect.id);
      for (const lane of dialect.lanes) {
        for (const row of lane.rows) {
          const own = cases.filter((one) =>
            one.hooks.some((hook) => (hook.lane ?? dialect.id) === lane.id && hook.event === row.name),
          );
          for (const flip of flips(row)) {
            n += 1;
            const changed = withRow(dialect, lane, row, flip.row);
            let red = false;
            for (const one of own) {
              red = (await runCase(one, changed)) !== undefined;
              if (red) break;
            }
            if (!red) notes.push(`${lane.id} ${row.name} ${flip.name}`);
          }
        }
      }
    }
    return { n, violations: notes.length, notes };
  },
};
