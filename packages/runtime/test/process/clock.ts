import type { Clock } from "../../src/port/clock.ts";

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
