import type { EventName, Payload } from "@hookline/runtime";
import type { LaneRow, Scene } from "@hookline/runtime/dialect";
import { type Telling, toldRow } from "../../in-process/rows.ts";

/** The default time limit of a handler, in ms (ruling 14). */
export const HANDLER_MS = 30_000;

/** The default time limit of a `tool_call` handler, in ms. */
export const TOOL_CALL_MS = 60_000;

/** Makes the row of an event that only informs. */
export function told<E extends EventName>(
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E> = {},
): LaneRow {
  return toldRow(name, of, get, { timeoutMs: HANDLER_MS, ...more });
}
