import type { Clock } from "@hookline/ground";

/** Waits on the given clock, and keeps the host alive meanwhile. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(ms, resolve);
  });
}

/**
 * Waits for a promise, at most `ms` milliseconds; resolves to `undefined` if the time is up first. Leaves no timer
 * behind.
 */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = clock.timer(ms, () => over.resolve(undefined));
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    timer.cancel();
  }
}
