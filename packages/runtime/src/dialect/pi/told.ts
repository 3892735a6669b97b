import type { EventName, Payload } from "../../catalog/catalog.ts";
import type { Kind } from "../../catalog/row.ts";
import { last } from "../../fold/index.ts";
import type { LaneRow, Scene } from "../../hook/lane.ts";
import { ignored } from "../inprocess/read.ts";
import { row } from "../row.ts";

/** Time that one handler has, and that a `tool_call` handler has, where the settings give none (decision 14). */
export const HANDLER_MS = 30_000;
export const TOOL_CALL_MS = 60_000;

interface Told<E extends EventName> {
  when?(payload: Payload<E>): boolean;
  readonly kind?: Kind;
  readonly subject?: string;
}

/** The row of an event that only tells: handlers run in order, each awaited, and what they return is dropped. */
export function told<E extends EventName>(
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Told<E> = {},
): LaneRow {
  return row<E, object, never, never>({
    kind: "observe",
    ...more,
    name,
    of,
    schedule: "all",
    fold: last<never>(),
    read: ignored,
    timeoutMs: HANDLER_MS,
    view: { get: (payload, scene) => ({ type: name, ...get(payload, scene) }), put: () => undefined },
  });
}

/** Those of an object's fields that are there. */
export function present<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Partial<Pick<T, K>> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}
