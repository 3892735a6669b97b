import { type NativeAnswer, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/** One change of what OpenCode goes on with: at a path of `output`, whose objects and lists stay the ones that they are. */
export interface OutputChange {
  readonly at: readonly (string | number)[];
  /** The new value. */
  readonly to?: unknown;
  /** A new item of the list, in front of the one at `before`, or as the last. */
  readonly add?: unknown;
  readonly before?: number;
  /** The place of an item of the list that goes. */
  readonly cut?: number;
}

/** The answer to an event, as the plugin applies it. */
export interface PluginAnswer {
  /** Thrown: refuses a call, and ends a run where there is no call. */
  readonly refuse?: string;
  readonly changes?: readonly OutputChange[];
  /** Lines for the person. */
  readonly notices?: readonly string[];
}

/** The same as the plugin reads it. */
export function inWords({ refuse, changes = [], notices = [] }: PluginAnswer = {}): NativeAnswer {
  const said: Fields = {
    ...(refuse !== undefined && { refuse }),
    ...(changes.length > 0 && { changes }),
    ...(notices.length > 0 && { notices }),
  };
  return Object.keys(said).length === 0 ? SILENCE : { ...SILENCE, stdout: JSON.stringify(said) };
}
