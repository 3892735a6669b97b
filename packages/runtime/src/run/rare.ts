import type { Station } from "../hook/lane.ts";
import type { Clock } from "../port/clock.ts";
import type { Together } from "./together.ts";

/** What few dispatches have. */
export class Rare {
  /** Those who are asked at the same time. */
  together: Together | undefined = undefined;
  /** When the lane began, where it has a budget. */
  laneStartedAt = 0;
  /** Those who are asked once more. */
  again: readonly Station[] | undefined = undefined;
  readonly #clock: Clock;
  #dialogs: Map<string, unknown> | undefined = undefined;
  #unlisten: (() => void) | undefined = undefined;
  #from: number | undefined = undefined;
  #to = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers that a person gave, by dialog. */
  get dialogs(): Map<string, unknown> {
    this.#dialogs ??= new Map();
    return this.#dialogs;
  }

  /** Reads the clock. */
  now(): number {
    const now = this.#clock.now();
    this.#from ??= now;
    this.#to = now;
    return now;
  }

  /** The time between the first and the last reading of the clock, in ms. */
  get ms(): number {
    return this.#from === undefined ? 0 : this.#to - this.#from;
  }

  listen(signal: AbortSignal, onAbort: () => void): void {
    if (signal.aborted) return;
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", onAbort);
  }

  unlisten(): void {
    this.#unlisten?.();
  }
}
