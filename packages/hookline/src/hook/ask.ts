import type { EventName, Outcome, Payload } from "@hookline/runtime";
import type { Accept, Folded, Notice } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import type { Patience } from "./patience.ts";

/** A message of a hook for the person. */
export interface HookNotice {
  readonly type: "notice";
  readonly level: "info";
  readonly text: string;
  readonly hook?: Notice["hook"];
}

/** A session's hooks, a function that shows their notices, and how long a person waits for them. */
export interface Asker {
  readonly hooks: Pick<HookSession, "emit" | "has" | "listens" | "asked" | "operation">;
  readonly tell: (notice: HookNotice) => void;
  readonly patience: Pick<Patience, "signal">;
}

/**
 * Asks the hooks of an event and shows their notices; returns the outcome synchronously if they answered synchronously.
 * Without a signal, `patience` limits the wait. `accept` is called with what a hook has changed in a guarded event.
 */
export function ask<E extends EventName>(
  asker: Asker,
  event: E,
  payload: Payload<E>,
  signal?: AbortSignal,
  accept?: Accept,
): Outcome<Folded<E>> | Promise<Outcome<Folded<E>>> {
  const outcome = asker.hooks.emit(event, payload, { signal: signal ?? asker.patience.signal, accept });
  return outcome instanceof Promise ? outcome.then((one) => noticed(asker, one)) : noticed(asker, outcome);
}

function noticed<O extends Outcome>({ tell }: Pick<Asker, "tell">, outcome: O): O {
  for (const { text, hook } of outcome.notices) tell({ type: "notice", level: "info", text, hook });
  return outcome;
}
