import type { Dialect, Lane, LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../../conformance/case.ts";
import { fromData } from "../../conformance/data.ts";
import { sceneOf } from "../../conformance/scene.ts";

/** Returns the dialect with one row of its tables replaced. */
export function withRow(dialect: Dialect, lane: Lane, old: LaneRow, row: LaneRow): Dialect {
  return withLane(dialect, lane, { ...lane, rows: lane.rows.map((other) => (other === old ? row : other)) });
}

function withLane(dialect: Dialect, old: Lane, lane: Lane): Dialect {
  return { ...dialect, lanes: dialect.lanes.map((other) => (other === old ? lane : other)) };
}

/**
 * Yields dialects with a wrong cell of a lane: when additions take effect, whether copies are private, and the order of
 * any two rows that share a moment. The order of two rows does not matter if no case's moment belongs to both.
 */
export function* laneFlips(dialect: Dialect, lane: Lane, cases: readonly Case[]): Generator<[string, Dialect]> {
  yield [`live: ${!lane.live}`, withLane(dialect, lane, { ...lane, live: !lane.live })];
  // Programs get the event as text, so they cannot tell whether it was made from a copy.
  if (lane.isolate) yield ["isolate: false", withLane(dialect, lane, { ...lane, isolate: false })];
  for (const [i, row] of lane.rows.entries()) {
    for (const other of lane.rows.slice(i + 1)) {
      if (other.of !== row.of || isVariant(row, other) || !coincide(row, other, cases)) continue;
      const rows = lane.rows.map((one) => (one === row ? other : one === other ? row : one));
      yield [`${other.name} before ${row.name}`, withLane(dialect, lane, { ...lane, rows })];
    }
  }
}

/** Whether one row is a variant of the other: a setting y makes `x (y)` replace `x`, so a session never has both. */
function isVariant(a: LaneRow, b: LaneRow): boolean {
  return b.name.startsWith(`${a.name} (`) || a.name.startsWith(`${b.name} (`);
}

function coincide(a: LaneRow, b: LaneRow, cases: readonly Case[]): boolean {
  return cases.some((one) => {
    if (one.event !== a.of) return false;
    const payload = fromData(one.payload) as never;
    const scene = sceneOf(one);
    return (a.when?.(payload, scene) ?? true) && (b.when?.(payload, scene) ?? true);
  });
}
