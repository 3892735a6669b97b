import type { Fields } from "@hookline/ground";
import type { EventName, Payload } from "@hookline/runtime";
import { type DialectRow, field, type LaneRow, record, row, type Scene } from "@hookline/runtime/dialect";
import type { BodyLack, FailedHook, Failure } from "@hookline/runtime/engine";

/** The time limit for one run of a plugin. Source: spec/chibi.md 2.4; the original program had none. */
export const TIMEOUT_MS = 30_000;

/**
 * How to handle an event that is too large for the environment (ruling 40). `skip` does not start the plugin; a guard
 * then refuses the call. `shorten` cuts long texts and marks the event; a plugin's edits of shortened keys in the field
 * `within` are ignored.
 */
export type Oversized = { readonly how: "skip" } | { readonly how: "shorten"; readonly within?: string };

/** One hook point of chibi, as a row. */
export interface Point extends LaneRow {
  readonly oversized: Oversized;
  /** The field of an answer that is sent to the model's provider, which may not support all of its keys. */
  readonly sent?: SentField;
}

/** Names the field of an answer that is sent to the model's provider, and finds keys in it that are not supported. */
export interface SentField {
  readonly field: string;
  lackingIn(edited: Fields, shown: Fields, scene: Scene): ReadonlyMap<string, BodyLack>;
}

/** Makes a hook point whose answers count. Every plugin gets the same event, and the answers are folded in order. */
export function point<E extends EventName, Event, A, O>(
  of: Omit<DialectRow<E, Event, A, O>, "schedule" | "timeoutMs">,
  oversized: Oversized = { how: "skip" },
  sent?: SentField,
): Point {
  const made = row<E, Event, A, O>({ ...of, schedule: "all", timeoutMs: TIMEOUT_MS });
  return { ...made, oversized, ...(sent !== undefined && { sent }) };
}

/** Describes a hook point that plugins only observe. */
export interface Observation<E extends EventName> {
  readonly name: string;
  readonly of: E;
  when?(payload: Payload<E>, scene: Scene): boolean;
  see(payload: Payload<E>, scene: Scene): object;
}

/** Makes a hook point that plugins only observe. All plugins start at once; their output is ignored. */
export function observed<E extends EventName>({ name, of, when, see }: Observation<E>): Point {
  const told = row<E, object, never, never>({
    name,
    of,
    kind: "observe",
    schedule: "parallel",
    fold: record({}),
    read: field({}),
    timeoutMs: TIMEOUT_MS,
    ...(when !== undefined && { when }),
    view: { get: see, put: () => undefined },
  });
  return { ...told, oversized: { how: "shorten" } };
}

/** Whether a guard's failure refuses the call: always for a timeout, for other failures if the settings say so. */
export function closes(failure: Failure, hook: FailedHook): boolean {
  return failure.cause === "timeout" || hook.onError === "abort";
}

/** Returns the reason that the model reads if a guard's failure refuses its call. */
export function refusal(failure: Failure, hook: FailedHook): string {
  return `Tool call blocked by hook: ${hook.path} failed (${failure.message})`;
}
