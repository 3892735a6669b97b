/**
 * A source of time that is passed in. `now` must be monotonic; `wall` is for labels only and never decides anything.
 */
export interface Clock {
  /** Milliseconds from an arbitrary start. */
  now(): number;
  /** Epoch milliseconds. */
  wall(): number;
  /** Calls `fire` once after `ms` milliseconds, at most `MAX_MS`. */
  timer(ms: number, fire: () => void): Timer;
}

/** A pending call of a timer. */
export interface Timer {
  cancel(): void;
  /** Whether the timer keeps the process alive. Default false. */
  hold(on: boolean): void;
}

/** The longest delay of a timer, in ms; every JavaScript engine fires longer ones at once. */
export const MAX_MS = 2 ** 31 - 1;
