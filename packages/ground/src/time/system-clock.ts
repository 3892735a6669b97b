import type { Clock } from "./clock.ts";

/** The real clock of this process; tests pass their own. */
export const systemClock: Clock = {
  now() {
    // Not `performance`: Node loads it on first use, which can take longer than a session's first hooks.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
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
