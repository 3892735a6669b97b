import { type NativeAnswer, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/** A change of OpenCode's `output`, at a path. Existing objects and lists must be changed in place, not replaced. */
export interface OutputChange {
  readonly at: readonly (string | number)[];
  /** The new value at the path. */
  readonly to?: unknown;
  /** A new item for the list at the path: inserted before the item at index `before`, or appended. */
  readonly add?: unknown;
  readonly before?: number;
  /** The index of an item to remove from the list at the path. */
  readonly cut?: number;
}

/** The answer to an event, which the plugin applies. */
export interface PluginAnswer {
  /** The reason with which the plugin throws. This refuses a call, or ends the run if there is no call. */
  readonly refuse?: string;
  readonly changes?: readonly OutputChange[];
  /** Lines that are shown to the user. */
  readonly notices?: readonly string[];
}

/** Writes an answer as JSON for the plugin; nothing at all if it is empty. */
export function inWords({ refuse, changes = [], notices = [] }: PluginAnswer = {}): NativeAnswer {
  const said: Fields = {
    ...(refuse !== undefined && { refuse }),
    ...(changes.length > 0 && { changes }),
    ...(notices.length > 0 && { notices }),
  };
  return Object.keys(said).length === 0 ? SILENCE : { ...SILENCE, stdout: JSON.stringify(said) };
}
