import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a time in ms; resolves to false if the wait was aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
