import { type Clock, MAX_MS, type Timer } from "../port/clock.ts";

/** Something that is waited for. */
export interface Waiting {
  /** False once it has settled; the entry is then dropped. */
  readonly waiting: boolean;
  /** When it is due on the clock; `Infinity` while a person is being asked. */
  due(): number;
  /** Called when it is due and still waiting; it must settle or move its due time. */
  overdue(): void;
}

const KEPT = 1024;

/**
 * All deadlines of a runtime on one timer, so that a handler which answers in time costs an array slot.
 * The timer keeps the process alive exactly while something is waited for.
 */
export class Deadlines {
  readonly #clock: Clock;
  #entries: Waiting[] = [];
  #timer: Timer | undefined;
  #next = Number.POSITIVE_INFINITY;
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(entry: Waiting): void {
    if (this.#entries.length >= KEPT) this.#compact();
    this.#entries.push(entry);
    this.#waiting += 1;
    const due = entry.due();
    if (due < this.#next) this.#schedule(due);
    if (this.#waiting === 1) this.#timer?.hold(true);
  }

  /** Told when a watched entry has settled. */
  settled(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#timer?.hold(false);
  }

  /** Called when an entry's due time has moved forward, as after a dialog. */
  moved(entry: Waiting): void {
    const due = entry.due();
    if (due < this.#next) this.#schedule(due);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#entries = [];
    this.#next = Number.POSITIVE_INFINITY;
  }

  #compact(): void {
    this.#entries = this.#entries.filter((entry) => entry.waiting);
  }

  #schedule(due: number): void {
    this.#timer?.cancel();
    this.#next = due;
    const ms = Math.min(Math.max(Math.ceil(due - this.#clock.now()), 0), MAX_MS);
    this.#timer = this.#clock.timer(ms, () => this.#sweep());
    if (this.#waiting > 0) this.#timer.hold(true);
  }

  #sweep(): void {
    this.#timer = undefined;
    this.#next = Number.POSITIVE_INFINITY;
    this.#compact();
    const now = this.#clock.now();
    for (const entry of [...this.#entries]) if (entry.waiting && entry.due() <= now) entry.overdue();
    this.#compact();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries) next = Math.min(next, entry.due());
    if (next < this.#next) this.#schedule(next);
  }
}
