import { type Clock, MAX_MS, type Timer } from "../port/clock.ts";

/** Something that waits for handlers. */
export interface Waiting {
  /** Its place among those that wait, kept by `Deadlines`. */
  slot: number;
  /**
   * Told the time. What does not know when it began to wait, began no later than now; what is due must settle or move
   * its due time. Gives when it is due next, `Infinity` for never.
   */
  sweep(now: number): number;
}

/** The time between sweeps while something new is waited for: what is not timed from its start, is from the next sweep. */
const SWEEP_MS = 50;

/**
 * All deadlines of a runtime on one timer, so that a handler which answers in time costs no look at the clock.
 * A deadline is never early, and late by a sweep at most.
 *
 * The timer keeps the process alive while something is waited for, and up to the next sweep.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #entries: Waiting[] = [];
  #timer: Timer | undefined;
  /** When the timer fires, on the clock. */
  #next = Number.POSITIVE_INFINITY;
  /** Whether that is within a sweep of when it was set; such a timer is left alone when nothing is waited for any more. */
  #soon = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something waits from now on; with its due time where it is known. */
  watch(entry: Waiting, due: number | undefined): void {
    entry.slot = this.#entries.length;
    this.#entries.push(entry);
    this.moved(due);
  }

  /** What is watched is due then, or waits for something new and does not know yet. */
  moved(due: number | undefined): void {
    if (!this.#soon) this.#set(Math.min(this.#next, this.#clock.now() + SWEEP_MS));
    if (due !== undefined && due < this.#next) this.#set(due);
  }

  /** Told when a watched entry waits no more. */
  settled(entry: Waiting): void {
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) {
      this.#entries[entry.slot] = last;
      last.slot = entry.slot;
    }
    if (this.#entries.length === 0 && !this.#soon) this.#unset();
  }

  close(): void {
    this.#unset();
    this.#entries.length = 0;
  }

  #set(at: number): void {
    this.#timer?.cancel();
    const ms = Math.min(Math.max(Math.ceil(at - this.#clock.now()), 0), MAX_MS);
    this.#next = at;
    this.#soon = ms <= SWEEP_MS;
    this.#timer = this.#clock.timer(ms, () => this.#sweep());
    this.#timer.hold(true);
  }

  #unset(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#next = Number.POSITIVE_INFINITY;
    this.#soon = false;
  }

  #sweep(): void {
    this.#unset();
    const now = this.#clock.now();
    let next = now + MAX_MS;
    for (const entry of [...this.#entries]) {
      if (this.#entries[entry.slot] === entry) next = Math.min(next, entry.sweep(now));
    }
    // Set also where nothing is due: without a timer, a process that only waits would end.
    if (this.#entries.length > 0 && next < this.#next) this.#set(next);
  }
}
