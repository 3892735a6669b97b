import type { Lane, Station } from "./lane.ts";

type EmptyStation = Omit<Station, "hooks">;

/** The tables of all lanes, indexed by event. Each result is cached, because every registration asks for it. */
export class Seating {
  readonly #lanes: readonly Lane[];
  readonly #seats = new Map<string, readonly EmptyStation[]>();
  readonly #events = new Map<Lane, Map<string, ReadonlySet<string>>>();

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
  }

  /** Returns the rows of all lanes that belong to a catalog event: lanes in order, rows in table order. */
  seatsOf(event: string): readonly EmptyStation[] {
    const known = this.#seats.get(event);
    if (known !== undefined) return known;
    const seats: EmptyStation[] = [];
    for (const lane of this.#lanes) for (const row of lane.rows) if (row.of === event) seats.push({ lane, row });
    this.#seats.set(event, seats);
    return seats;
  }

  /** Returns the catalog events that a lane's own event name covers. */
  eventsOf(laneId: string, name: string): ReadonlySet<string> {
    const lane = this.#lanes.find(({ id }) => id === laneId);
    if (lane === undefined) return new Set();
    const known = this.#events.get(lane) ?? new Map<string, ReadonlySet<string>>();
    this.#events.set(lane, known);
    const before = known.get(name);
    if (before !== undefined) return before;
    const events = new Set<string>();
    for (const row of lane.rows) if (row.name === name) events.add(row.of);
    known.set(name, events);
    return events;
  }
}

const seatings = new WeakMap<readonly Lane[], Seating>();

/** Returns the index of a list of lanes, which all sessions of a host share. */
export function seatingOf(lanes: readonly Lane[]): Seating {
  const known = seatings.get(lanes);
  if (known !== undefined) return known;
  const seating = new Seating(lanes);
  seatings.set(lanes, seating);
  return seating;
}
