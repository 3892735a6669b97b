import type { Mark, Timeline, TimelineCell } from "./api.ts";
import { MARKS, type MomentIndex } from "./moment-index.ts";

/** The moments to count, their span in epoch ms, and the number of columns. */
export interface TimelineParts {
  /** The numbers of the matching moments, ascending. */
  readonly moments: Iterable<number>;
  readonly since: number;
  readonly until: number;
  readonly columns: number;
}

interface Cell {
  readonly column: number;
  readonly n: number;
  count: number;
  readonly marks: Partial<Record<Mark, number>>;
}

interface Lane {
  count: number;
  readonly cells: Map<number, Cell>;
}

/** Counts the moments of a span by lane and column. */
export function timelineOf(
  index: MomentIndex,
  { moments, since, until, columns }: TimelineParts,
): Omit<Timeline, "v" | "partial"> {
  const width = Math.max(until - since, 1) / columns;
  const lanes = new Map<string, Lane>();
  const { rows, events } = index;
  const laneOf = (event: number): Lane => {
    const name = (events.name(event) as string).split(".", 1)[0] as string;
    const lane = lanes.get(name) ?? { count: 0, cells: new Map<number, Cell>() };
    lanes.set(name, lane);
    return lane;
  };
  const known = new Map<number, Lane>();
  // No object is created for each moment in this loop, because that would take most of its time.
  for (const n of moments) {
    const event = rows.get("event", n - 1);
    const lane = known.get(event) ?? laneOf(event);
    known.set(event, lane);
    lane.count += 1;
    const column = Math.max(0, Math.min(columns - 1, Math.floor((rows.get("t", n - 1) - since) / width)));
    const cell = lane.cells.get(column) ?? { column, n, count: 0, marks: {} };
    lane.cells.set(column, cell);
    cell.count += 1;
    const bits = rows.get("marks", n - 1);
    if (bits > 0)
      for (const [bit, mark] of MARKS.entries())
        if ((bits & (1 << bit)) !== 0) cell.marks[mark] = (cell.marks[mark] ?? 0) + 1;
  }
  return {
    since,
    until,
    columns,
    lanes: [...lanes].map(([lane, { count, cells }]) => ({
      lane,
      count,
      cells: [...cells.values()].sort((a, b) => a.column - b.column) satisfies TimelineCell[],
    })),
  };
}
