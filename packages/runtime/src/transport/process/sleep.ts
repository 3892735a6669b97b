import type { Clock } from "../../port/clock.ts";

/** Waits on the clock that was handed in. Whoever waits keeps the host alive meanwhile. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(ms, resolve);
  });
}

/** Waits for a promise, but no longer than `ms`; `undefined` when the time was over first. Leaves no timer behind. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = clock.timer(ms, () => over.resolve(undefined));
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    timer.cancel();
  }
}
