import { type Clock, MAX_MS, type Timer } from "../port/clock.ts";

/** The time between looks while something new is waited for: what is not timed from its start, is from the next look. */
const LOOK_MS = 50;

/** Something that waits for handlers. */
export interface Waiting {
  /**
   * Told the time. What does not know when it began to wait, began no later than now; what is due must settle or be due
   * later. Gives when it is due next, `Infinity` for never.
   */
  look(now: number): number;
}

/**
 * All deadlines of a runtime on one timer. A deadline is never early, and late by one look at most.
 *
 * The timer keeps the process alive while something is waited for, and up to the next look. With `keepsAlive` off, what
 * has no limit keeps it alive only until the first look: the host then sees that nothing is left that could happen.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #keepsAlive: boolean;
  readonly #waiting = new Set<Waiting>();
  #timer: Timer | undefined;
  /** When the timer fires, on the clock. */
  #next = Number.POSITIVE_INFINITY;
  /** Whether the timer was set for a look. It is then left alone, however much begins and ends before it fires. */
  #isLook = false;

  constructor(clock: Clock, keepsAlive = true) {
    this.#clock = clock;
    this.#keepsAlive = keepsAlive;
  }

  /** Watches what waits from now on; it is due then, or does not know yet. */
  watch(waiting: Waiting, due: number | undefined): void {
    this.#waiting.add(waiting);
    this.moved(due);
  }

  /** Something that is watched is due then, or waits for something new and does not know yet. */
  moved(due: number | undefined): void {
    if (!this.#isLook) this.#set(Math.min(this.#next, this.#clock.now() + LOOK_MS));
    if (due !== undefined && due < this.#next) this.#set(due);
  }

  /** Forgets what waits no longer. */
  forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (!this.#isLook && this.#waiting.size === 0) this.#unset();
  }

  close(): void {
    this.#unset();
    this.#waiting.clear();
  }

  #set(at: number): void {
    this.#timer?.cancel();
    const ms = Math.min(Math.max(Math.ceil(at - this.#clock.now()), 0), MAX_MS);
    this.#next = at;
    this.#isLook = ms <= LOOK_MS;
    this.#timer = this.#clock.timer(ms, () => this.#look());
    this.#timer.hold(true);
  }

  #unset(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#next = Number.POSITIVE_INFINITY;
    this.#isLook = false;
  }

  #look(): void {
    this.#unset();
    const now = this.#clock.now();
    const never = now + MAX_MS;
    let next = never;
    for (const waiting of [...this.#waiting]) next = Math.min(next, waiting.look(now));
    // A timer is set although nothing is due: without one, a process that only waits would end.
    if (this.#waiting.size === 0 || next >= this.#next) return;
    this.#set(next);
    if (next === never) this.#timer?.hold(this.#keepsAlive);
  }
}
