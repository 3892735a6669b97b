import type { EventName, Payload } from "@hookline/runtime";
import type { LaneRow, Scene } from "@hookline/runtime/dialect";
import { type Telling, toldRow } from "../../in-process/rows.ts";

/** Time that one handler has, where the settings give none (decision 14). */
export const HANDLER_MS = 30_000;

/** The same for a `tool_call` handler. */
export const TOOL_CALL_MS = 60_000;

/** The row of an event that only informs. */
export function told<E extends EventName>(
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E> = {},
): LaneRow {
  return toldRow(name, of, get, { timeoutMs: HANDLER_MS, ...more });
}
