import { type Clock, MAX_MS, type Timer } from "../port/clock.ts";
import { type Answered, Line, type Waiting } from "./line.ts";

/** The time between sweeps while something new is waited for: what is not timed from its start, is from the next sweep. */
const SWEEP_MS = 50;
/** Lines that are kept for whoever waits next. */
const MOST_SPARE = 64;

/**
 * All deadlines of a runtime on one timer, so that a handler which answers in time costs no look at the clock.
 * A deadline is never early, and late by a sweep at most.
 *
 * The timer keeps the process alive while something is waited for, and up to the next sweep. With `keepsAlive` off what
 * has no limit does so only until it has been told of: the host then sees that nothing is left that could happen.
 */
export class Deadlines {
  readonly #clock: Clock;
  /** Those on which somebody waits, and the spare ones, which stay where they are. */
  readonly #lines: Line<Waiting>[] = [];
  #spare: Line<Waiting> | undefined;
  #spares = 0;
  #timer: Timer | undefined;
  /** When the timer fires, on the clock. */
  #next = Number.POSITIVE_INFINITY;
  /** Whether that is within a sweep of when it was set; such a timer is left alone when nothing is waited for any more. */
  #soon = false;
  readonly #keepsAlive: boolean;

  constructor(clock: Clock, keepsAlive = true) {
    this.#clock = clock;
    this.#keepsAlive = keepsAlive;
  }

  /** A line to wait on from now on; `moved` is to be told when it is due. */
  line(waiting: Waiting): Line<Waiting> {
    const line = this.#spare;
    if (line === undefined) return this.#newLine(waiting);
    this.#spare = line.next;
    this.#spares -= 1;
    line.waiting = waiting;
    return line;
  }

  /** What waits is due then, or waits for something new and does not know yet. */
  moved(due: number | undefined): void {
    if (!this.#soon) this.#set(Math.min(this.#next, this.#clock.now() + SWEEP_MS));
    if (due !== undefined && due < this.#next) this.#set(due);
  }

  /** Gives a line back on which nothing will ever settle any more. */
  free(line: Line<Waiting> | undefined): void {
    if (line === undefined) return;
    line.waiting = undefined;
    if (this.#spares < MOST_SPARE) {
      line.next = this.#spare;
      this.#spare = line;
      this.#spares += 1;
    } else this.#remove(line);
    if (!this.#soon && this.#lines.length === this.#spares) this.#unset();
  }

  /** Another line for who waits on this one, which is swept no more: what settles on it is told to somebody else. */
  swap(line: Line<Waiting>, to: Answered): Line<Waiting> {
    const { waiting } = line;
    this.#remove(line);
    (line as Line).waiting = to;
    return this.line(waiting as Waiting);
  }

  close(): void {
    this.#unset();
    this.#lines.length = 0;
    this.#spare = undefined;
    this.#spares = 0;
  }

  #newLine(waiting: Waiting): Line<Waiting> {
    const line = new Line(waiting);
    line.slot = this.#lines.length;
    this.#lines.push(line);
    return line;
  }

  #remove(line: Line<Waiting>): void {
    const last = this.#lines.pop();
    if (last === undefined || last === line) return;
    this.#lines[line.slot] = last;
    last.slot = line.slot;
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
    const never = now + MAX_MS;
    let next = never;
    for (const { waiting } of [...this.#lines]) if (waiting !== undefined) next = Math.min(next, waiting.sweep(now));
    // Set also where nothing is due: without a timer, a process that only waits would end.
    if (this.#lines.length === this.#spares || next >= this.#next) return;
    this.#set(next);
    if (next === never) this.#timer?.hold(this.#keepsAlive);
  }
}
