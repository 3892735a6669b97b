import type { EventName, Payload } from "../../catalog/catalog.ts";
import type { Kind, Schedule } from "../../catalog/row.ts";
import { last } from "../../fold/index.ts";
import type { LaneRow, Scene } from "../../hook/lane.ts";
import { ignored } from "../inprocess/read.ts";
import { row } from "../row.ts";

/** Time of one ExtensionAPI handler, `tool_call` included, where the settings give none (decision 14). */
export const HANDLER_MS = 30_000;
/** Time of one ExtensionAPI handler at the end of a session; all of them run at once. */
export const SHUTDOWN_MS = 2_000;

/** What the rows of one API have in common: HookAPI has no time limits, ExtensionAPI has. */
export interface Limit {
  readonly timeoutMs?: number;
}

interface Told<E extends EventName> {
  when?(payload: Payload<E>): boolean;
  readonly kind?: Kind;
  readonly schedule?: Schedule;
  readonly subject?: string;
}

/** The row of an event that only tells: handlers run in order, each awaited, and what they return is dropped. */
export function told<E extends EventName>(
  limit: Limit,
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Told<E> = {},
): LaneRow {
  return row<E, object, never, never>({
    kind: "observe",
    schedule: "all",
    ...limit,
    ...more,
    name,
    of,
    fold: last<never>(),
    read: ignored,
    view: { get: (payload, scene) => ({ type: name, ...get(payload, scene) }), put: () => undefined },
  });
}

/** Those of an object's fields that are there. */
export function present<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Partial<Pick<T, K>> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}
