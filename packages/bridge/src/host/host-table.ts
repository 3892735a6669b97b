import type { EventName } from "@hookline/runtime";

/**
 * Lists what a host's moments lack, as data. A moment without a cell lacks nothing if an event of the host
 * (`BridgeHost.events`) asks it; otherwise it is absent.
 */
export interface HostTable {
  readonly cells: Readonly<Partial<Record<EventName, Cell>>>;
  /** Why moments are absent, by their names or by their areas (`model.*`); the rest share one sentence. */
  readonly absent: Readonly<Record<string, string>>;
}

/** Lists what one moment lacks in a host. Each sentence is printed after the field's name and a colon. */
export interface Cell {
  /** Fields of the event that the host does not tell. */
  readonly untold?: Readonly<Record<string, string>>;
  /** Fields of the answer that have less of an effect or none; one value of a field as `field:value`. */
  readonly loses?: Readonly<Record<string, string>>;
  /** Fields of the event that always have the same value; hooks that wait for another one never run. */
  readonly always?: Readonly<Record<string, { readonly value: unknown; readonly why: string }>>;
}
