import type { Clock } from "../../../ground/src/time/clock.ts";

/** The real clock: these tests are about real processes. */
export const clock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const timer = setTimeout(fire, ms).unref();
    return {
      cancel: () => clearTimeout(timer),
      hold: (on) => void (on ? timer.ref() : timer.unref()),
    };
  },
};

/** A clock with timers that somebody rings. */
export interface Alarm extends Clock {
  /** Fires every timer of the chosen length that is set now. */
  ring(): void;
  /** How many of them are set now. */
  count(): number;
}

/**
 * The real clock, but the timers of `ms` fire when they are rung and never by themselves, so that what should come
 * before them does, however busy the machine is.
 */
export function alarm(ms: number): Alarm {
  const set = new Set<() => void>();
  return {
    ...clock,
    timer(length, fire) {
      if (length !== ms) return clock.timer(length, fire);
      set.add(fire);
      return { cancel: () => void set.delete(fire), hold: () => {} };
    },
    count: () => set.size,
    ring() {
      for (const fire of [...set]) {
        set.delete(fire);
        fire();
      }
    },
  };
}
