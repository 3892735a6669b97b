import type { Clock } from "../../port/clock.ts";

/** Time that a module may take to load and its factory to settle, where the settings give none. */
export const LOAD_MS = 30_000;

/**
 * Waits for work that may never end; after `ms` it rejects with what `late` makes.
 * The process is kept alive meanwhile. What the work does later is dropped, its rejection included.
 */
export function within<T>(clock: Clock, ms: number, work: PromiseLike<T>, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.timer(ms, () => reject(late()));
    timer.hold(true);
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (thrown: unknown) => {
        timer.cancel();
        reject(thrown);
      },
    );
  });
}
