import type { Lane, Station } from "./lane.ts";

/** The tables of all lanes, seen from the events. */
export interface Seating {
  /** Where hooks of a catalog event may be: lanes in order, rows in table order. */
  readonly seatsOf: ReadonlyMap<string, readonly Omit<Station, "hooks">[]>;
  /** By lane and its own name of an event: the catalog events that it stands for. */
  readonly eventsOf: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
}

const known = new WeakMap<readonly Lane[], Seating>();

/** Worked out once for a list of lanes, since every registration asks. */
export function seatingOf(lanes: readonly Lane[]): Seating {
  const before = known.get(lanes);
  if (before !== undefined) return before;
  const seatsOf = new Map<string, Omit<Station, "hooks">[]>();
  const eventsOf = new Map<string, Map<string, Set<string>>>();
  for (const lane of lanes) {
    const events = new Map<string, Set<string>>();
    eventsOf.set(lane.id, events);
    for (const row of lane.rows) {
      listed(seatsOf, row.of, () => []).push({ lane, row });
      listed(events, row.name, () => new Set()).add(row.of);
    }
  }
  const seating = { seatsOf, eventsOf };
  known.set(lanes, seating);
  return seating;
}

function listed<V>(map: Map<string, V>, key: string, make: () => V): V {
  const before = map.get(key);
  if (before !== undefined) return before;
  const made = make();
  map.set(key, made);
  return made;
}
