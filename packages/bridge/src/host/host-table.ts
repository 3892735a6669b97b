import type { EventName } from "@hookline/runtime";

/**
 * Lists what a host's moments lack, as data. A moment without a cell lacks nothing if an event of the host
 * (`BridgeHost.events`) asks it; otherwise it is absent.
 */
export interface HostTable {
  readonly cells: Readonly<Partial<Record<EventName, Cell>>>;
  /** Reasons why moments are absent, by their names or by their areas (`model.*`); the others share one sentence. */
  readonly absent: Readonly<Record<string, string>>;
}

/** Lists what one moment lacks in a host. Each sentence is printed after the field's name and a colon. */
export interface Cell {
  /** Fields of the event that the host does not report. */
  readonly untold?: Readonly<Record<string, string>>;
  /** Fields of the answer that have no effect, or less than in hookline; `field:value` means one value of a field. */
  readonly loses?: Readonly<Record<string, string>>;
  /** Fields of the event that always have the same value; hooks for another value never run. */
  readonly always?: Readonly<Record<string, { readonly value: unknown; readonly why: string }>>;
}
