import type { Clock } from "../port/clock.ts";

/** The clock of this process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const timer = setTimeout(fire, ms);
    timer.unref();
    return {
      cancel: () => clearTimeout(timer),
      hold: (on) => {
        if (on) timer.ref();
        else timer.unref();
      },
    };
  },
};
