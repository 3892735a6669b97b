/** Time as it is handed in. `now` must be monotonic; `wall` labels only and decides nothing. */
export interface Clock {
  /** Milliseconds from an arbitrary start. */
  now(): number;
  /** Epoch milliseconds. */
  wall(): number;
  /** Calls `fire` once after `ms` milliseconds, at most `MAX_MS`. */
  timer(ms: number, fire: () => void): Timer;
}

/** A moment that is still to come. */
export interface Timer {
  cancel(): void;
  /** Whether the timer keeps the process alive; it does not until told so. */
  hold(on: boolean): void;
}

/** The longest time that a timer takes, in ms; longer ones fire at once in every JavaScript engine. */
export const MAX_MS = 2 ** 31 - 1;
