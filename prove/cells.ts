import { dialects } from "@hookline/runtime/dialects";
import { type CatalogRow, catalog, type Dialect, type Lane, type LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../conformance/case.ts";
import { readCases } from "../conformance/requirement.ts";
import { runCase } from "../conformance/run.ts";
import { flipsOf, type Spot } from "./cells/flip.ts";
import { laneFlips, withRow } from "./cells/lane.ts";
import { poolOf, unanswered } from "./cells/pool.ts";
import { RULES } from "./cells/rules.ts";
import type { Claim, Finding } from "./claim.ts";

/**
 * Flips every cell of every row of a dialect. Each flip that no case detects and no rule excludes is a violation. So is
 * each field that no case contains, because it would be untested.
 */
export async function proveCells(dialect: Dialect, all: readonly Case[]): Promise<Finding> {
  const survivors: string[] = [];
  const cases: Case[] = [];
  for (const one of all) {
    // A case that already fails detects nothing.
    const why = await runCase(one, [dialect]);
    if (why === undefined) cases.push(one);
    else survivors.push(`${one.id} does not hold: ${why}`);
  }
  const excluded = new Map<string, number>();
  let n = 0;
  const notice = async (own: readonly Case[], flipped: Dialect): Promise<boolean> => {
    n += 1;
    for (const one of own) if ((await runCase(one, [flipped])) !== undefined) return true;
    return false;
  };
  for (const lane of dialect.lanes) {
    const ofLane = cases.filter((one) => one.hooks.some((hook) => (hook.lane ?? one.dialect) === lane.id));
    for (const row of lane.rows) {
      const spot: Spot = { lane, row, host: catalog.get(row.of) as CatalogRow };
      const own = ofLane.filter((one) => asks(one, lane, row));
      const pool = poolOf(spot, own);
      for (const field of untold(spot.host, own)) survivors.push(`${lane.id} ${row.name}: no payload has ${field}`);
      for (const field of unanswered(row, pool, cases))
        survivors.push(`${lane.id} ${row.name}: no answer has ${field}`);
      for (const flip of flipsOf(spot, pool)) {
        if (await notice(own, withRow(dialect, lane, row, flip.row))) continue;
        const rule = RULES.find(({ holds }) => holds(flip, spot, pool));
        if (rule === undefined) survivors.push(`${lane.id} ${row.name}: ${flip.cell}: ${flip.now}`);
        else excluded.set(rule.says, (excluded.get(rule.says) ?? 0) + 1);
      }
    }
    for (const [says, flipped] of laneFlips(dialect, lane, ofLane))
      if (!(await notice(ofLane, flipped))) survivors.push(`${lane.id}: ${says}`);
  }
  const rules = [...excluded].map(([says, count]) => `${dialect.id}: left out ${count}: ${says}`);
  const left = [...excluded.values()].reduce((sum, count) => sum + count, 0);
  return { n: n - left, violations: survivors.length, notes: [...survivors, ...rules] };
}

function asks(one: Case, lane: Lane, row: LaneRow): boolean {
  return one.hooks.some((hook) => (hook.lane ?? one.dialect) === lane.id && hook.event === row.name);
}

/** Returns fields of the host's payload that no case contains. */
function untold(host: CatalogRow, cases: readonly Case[]): string[] {
  const { entries = {} } = host.payload() as { readonly entries?: object };
  return Object.keys(entries).filter(
    (field) => !cases.some(({ event, payload }) => event === host.name && Object.hasOwn(payload, field)),
  );
}

/** The claim: no flipped cell goes unnoticed, in any dialect, with the cases of this repository. */
export const claim: Claim = {
  name: "cells",
  says: "each cell of each dialect row, flipped, turns that dialect's conformance red",
  async run() {
    const findings: Finding[] = [];
    for (const dialect of dialects) findings.push(await proveCells(dialect, readCases(dialect.id)));
    return {
      n: findings.reduce((sum, { n }) => sum + n, 0),
      violations: findings.reduce((sum, { violations }) => sum + violations, 0),
      notes: findings.flatMap(({ notes }) => notes),
    };
  },
};
