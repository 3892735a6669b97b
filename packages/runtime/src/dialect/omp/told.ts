import type { EventName, Payload } from "../../catalog/catalog.ts";
import type { LaneRow, Scene } from "../../hook/lane.ts";
import { type Telling, toldRow } from "../inprocess/told.ts";

/** Time of one ExtensionAPI handler, `tool_call` included, where the settings give none (decision 14). */
export const HANDLER_MS = 30_000;
/** Time of one ExtensionAPI handler at the end of a session; all of them run at once. */
export const SHUTDOWN_MS = 2_000;

/** What the rows of one API have in common: HookAPI has no time limits, ExtensionAPI has. */
export interface Limit {
  readonly timeoutMs?: number;
}

/** The row of an event that only tells, with what the rows of its API have in common. */
export function told<E extends EventName>(
  limit: Limit,
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E> = {},
): LaneRow {
  return toldRow(name, of, get, { ...limit, ...more });
}
