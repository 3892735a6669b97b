import { setTimeout as sleep } from "node:timers/promises";
import type { HookSession } from "@hookline/runtime/session";

/** The maximum time that an unattended run waits at its end for hooks in shadow, in ms. */
const MOST_MS = 60_000;

/** Waits until hooks in shadow have been asked about all events. Stops after a minute, or if `signal` is aborted. */
export async function awaitShadows(
  hooks: Pick<HookSession, "shadowsSettled">,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const over = new AbortController();
  const late = sleep(MOST_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  await Promise.race([hooks.shadowsSettled(), late]);
  over.abort();
}

/**
 * Returns a line that names hooks in shadow that were not asked about all events; otherwise undefined. Must be called
 * at the very end.
 */
export function droppedLine(hooks: ReturnType<HookSession["hooks"]>): string | undefined {
  const dropped = hooks.flatMap(({ hook: { id, metrics } }) => {
    const count = metrics.shadow?.dropped ?? 0;
    return count === 0 ? [] : [`${id} about ${count} ${count === 1 ? "moment" : "moments"}`];
  });
  if (dropped.length === 0) return undefined;
  return `Hooks in shadow were not asked about everything, so what they would have done is not complete: ${dropped.join(", ")}.`;
}
