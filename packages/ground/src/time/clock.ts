/** A source of time. `now` must be monotonic; `wall` is for display only and must never decide anything. */
export interface Clock {
  /** Returns milliseconds since an arbitrary start. */
  now(): number;
  /** Returns milliseconds since 1970. */
  wall(): number;
  /** Calls `fire` once after `ms` milliseconds, at most `MAX_MS`. */
  timer(ms: number, fire: () => void): Timer;
}

/** A timer that has not fired yet. */
export interface Timer {
  cancel(): void;
  /** Sets whether the timer keeps the process alive. Default false. */
  hold(on: boolean): void;
}

/** The longest delay of a timer, in ms. JavaScript engines fire timers with a longer delay at once. */
export const MAX_MS = 2 ** 31 - 1;
