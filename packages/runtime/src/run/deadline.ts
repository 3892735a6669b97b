import { type Clock, MAX_MS, type Timer } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";

/**
 * The time in milliseconds from a new or changed wait to the next check of the deadlines. A handler that was started
 * without a reading of the clock counts as started at that check.
 */
const LOOK_MS = 50;

/** An object that waits for handlers, and whose deadlines are checked. */
export interface Waiting {
  /**
   * Checks deadlines at time `now`. A wait with an unknown start counts from now; whatever is due must settle or get a
   * later deadline. Returns the next deadline, or `Infinity`.
   */
  look(now: number): number;
  /** Returns the pending handlers. */
  waitsFor?(): readonly WaitedFor[];
}

/** A pending handler. */
export interface WaitedFor {
  readonly hook: Hook;
  readonly since: number | undefined;
  /** Ends the wait because a person asked for it; the hook counts as timed out. */
  giveUp(): void;
}

/**
 * Checks all deadlines of a runtime with one timer. No handler times out early; one that was started without a reading
 * of the clock may time out up to `LOOK_MS` late.
 *
 * The timer keeps the process alive while a handler is pending, and up to `LOOK_MS` longer. With `keepsAlive` off, it
 * does so only while some handler still has a deadline or can be reported as slow; after that, the host can see that
 * the run can make no progress.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #keepsAlive: boolean;
  readonly #waiting = new Set<Waiting>();
  #timer: Timer | undefined;
  /** The time on the clock when the timer fires. */
  #next = Number.POSITIVE_INFINITY;
  /** Whether the timer fires within `LOOK_MS`. Then only an earlier deadline resets it, not a new or ended wait. */
  #isLook = false;

  constructor(clock: Clock, keepsAlive = true) {
    this.#clock = clock;
    this.#keepsAlive = keepsAlive;
  }

  /** Starts watching a wait; `due` is `undefined` if its deadline is not known yet. */
  watch(waiting: Waiting, due: number | undefined): void {
    this.#waiting.add(waiting);
    this.moved(due);
  }

  /** Notes that a watched wait has a new deadline or another handler; `due` is `undefined` if it is not known yet. */
  moved(due: number | undefined): void {
    if (!this.#isLook) this.#set(Math.min(this.#next, this.#clock.now() + LOOK_MS));
    if (due !== undefined && due < this.#next) this.#set(due);
  }

  /** Stops watching a wait that has ended. */
  forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (!this.#isLook && this.#waiting.size === 0) this.#unset();
  }

  /** Returns all pending handlers. */
  waitsFor(): readonly WaitedFor[] {
    return [...this.#waiting].flatMap((waiting) => waiting.waitsFor?.() ?? []);
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
    // A timer is needed even if nothing is due: without one, a process that only waits would exit.
    if (this.#waiting.size === 0 || next >= this.#next) return;
    this.#set(next);
    if (next === never) this.#timer?.hold(this.#keepsAlive);
  }
}
