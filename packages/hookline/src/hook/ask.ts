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

/** A session's hooks, and how to show their notices. With `patience`, a person can end the wait for hooks. */
export interface Asker {
  readonly hooks: Pick<HookSession, "emit" | "has" | "listens" | "asked" | "operation">;
  readonly tell: (notice: HookNotice) => void;
  readonly patience: Pick<Patience, "signal">;
}

/**
 * Asks the hooks of an event and shows their notices. Returns a promise only if a hook answers asynchronously. Without
 * `signal`, the person can end the wait (`patience`). `accept` checks and corrects a call that a hook has changed.
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
