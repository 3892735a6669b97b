import type { Answer, EventName, Payload } from "../catalog/catalog.ts";
import type { Agents, FailedHook, Failure, Feed, Kind, Read, Schedule } from "../catalog/row.ts";
import type { Fold } from "../fold/fold.ts";
import type { LaneRow, Scene } from "../hook/lane.ts";

/**
 * A dialect's row with its types: `E` the catalog event, `Event` what handlers see, `A` one answer, `O` the folded
 * answer.
 */
export interface DialectRow<E extends EventName, Event, A, O> {
  readonly name: string;
  readonly of: E;
  readonly agents?: Agents;
  readonly isolated?: true;
  readonly kind: Kind;
  readonly schedule: Schedule;
  readonly fold: Fold<A, O>;
  readonly feeds?: Readonly<Record<string, Feed>>;
  readonly read: Read<A>;
  readonly inPlace?: Readonly<Record<string, (value: unknown) => string | undefined>>;
  failed?(failure: Failure, hook: FailedHook): A | undefined;
  readonly said?: "first";
  readonly subject?: string;
  readonly timeoutMs?: number;
  readonly budgetMs?: number;
  when?(payload: Payload<E>, scene: Scene): boolean;
  readonly view: {
    get(payload: Payload<E>, scene: Scene): Event;
    put(outcome: O, payload: Payload<E>, scene: Scene): Answer<E> | undefined;
  };
  readonly since?: string;
}

/** Adds defaults to a lane row: no handler sees earlier answers, and after a failure the event goes ahead. */
export function row<E extends EventName, Event, A, O>(of: DialectRow<E, Event, A, O>): LaneRow {
  return { feeds: {}, failed: () => undefined, since: "0.1.0", ...of } as unknown as LaneRow;
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the defined fields as the result of a view's `put`; `undefined` if there are none, which means no edit. */
export function edit<T extends object>(fields: T): Present<T> | undefined {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Present<T>);
}
