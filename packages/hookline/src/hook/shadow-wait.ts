import { setTimeout as sleep } from "node:timers/promises";
import type { HookSession } from "@hookline/runtime/session";

/** The longest that the end of an unattended run waits for hooks in shadow, in ms. */
const MOST_MS = 60_000;

/** Waits until hooks in shadow have been asked about everything, at most a minute, or until the signal. */
export async function awaitShadows(
  hooks: Pick<HookSession, "shadowsSettled">,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const over = new AbortController();
  const late = sleep(MOST_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  await Promise.race([hooks.shadowsSettled(), late]);
  over.abort();
}

/** Says which hooks in shadow were not asked about everything; undefined if all were. Call it at the very end. */
export function droppedLine(hooks: ReturnType<HookSession["hooks"]>): string | undefined {
  const dropped = hooks.flatMap(({ hook: { id, metrics } }) => {
    const count = metrics.shadow?.dropped ?? 0;
    return count === 0 ? [] : [`${id} about ${count} ${count === 1 ? "moment" : "moments"}`];
  });
  if (dropped.length === 0) return undefined;
  return `Hooks in shadow were not asked about everything, so what they would have done is not complete: ${dropped.join(", ")}.`;
}
