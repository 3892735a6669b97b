import type { EventName } from "@hookline/runtime";

/**
 * Lists which of hookline's events a host lacks, and which fields of the others. If none of the host's events asks
 * hooks about an event (`BridgeHost.events`), that event is absent, and its hooks never run.
 */
export interface HostTable {
  readonly cells: Readonly<Partial<Record<EventName, Cell>>>;
  /** Reasons why events are absent, by event or by area (`model.*`). All other absent events share one sentence. */
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
