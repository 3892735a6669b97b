import type { EventName } from "@hookline/runtime";

/**
 * Lists what a host does not support of hookline's events. An event without a cell is fully supported if one of the
 * host's events asks its hooks (`BridgeHost.events`); otherwise it is absent, and its hooks never run.
 */
export interface HostTable {
  readonly cells: Readonly<Partial<Record<EventName, Cell>>>;
  /** Why events are absent, by their names or their areas (`model.*`). All other absent events share one sentence. */
  readonly absent: Readonly<Record<string, string>>;
}

/** Lists the fields of one event that a host does not support. The loss report prints the reason for each. */
export interface Cell {
  /** Fields of the event that the host does not report. */
  readonly untold?: Readonly<Record<string, string>>;
  /** Fields of the answer that have no effect, or less than in hookline; `field:value` means one value of a field. */
  readonly loses?: Readonly<Record<string, string>>;
  /** Fields of the event that are the same in every call; hooks that wait for another value never run. */
  readonly always?: Readonly<Record<string, { readonly value: unknown; readonly why: string }>>;
}
