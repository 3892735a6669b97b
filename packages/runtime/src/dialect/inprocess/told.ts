import type { EventName, Payload } from "../../catalog/catalog.ts";
import type { Kind, Schedule } from "../../catalog/row.ts";
import { last } from "../../fold/index.ts";
import type { LaneRow, Scene } from "../../hook/lane.ts";
import { row } from "../row.ts";
import { ignored } from "./read.ts";

/** Cells in which rows that only tell differ. */
export interface Telling<E extends EventName> {
  when?(payload: Payload<E>): boolean;
  readonly kind?: Kind;
  readonly schedule?: Schedule;
  readonly subject?: string;
  readonly timeoutMs?: number;
}

/** The row of an event that only tells: handlers run in order, each awaited, and what they return is dropped. */
export function toldRow<E extends EventName>(
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E>,
): LaneRow {
  return row<E, object, never, never>({
    kind: "observe",
    schedule: "all",
    ...more,
    name,
    of,
    fold: last<never>(),
    read: ignored,
    view: { get: (payload, scene) => ({ ...get(payload, scene), type: name }), fresh: true, put: () => undefined },
  });
}

/** Those of an object's fields that are there. */
export function present<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Partial<Pick<T, K>> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}
