/** What is told when a promise has settled. */
export interface Answered {
  /** Gives what the promise of the wait comes to, where somebody has that. */
  answered(value: unknown): unknown;
  rejected(thrown: unknown): unknown;
}

/** Something that waits for handlers. */
export interface Waiting extends Answered {
  /**
   * Told the time. What does not know when it began to wait, began no later than now; what is due must settle or move
   * its due time. Gives when it is due next, `Infinity` for never.
   */
  sweep(now: number): number;
}

/**
 * The two ends of a promise that is waited for. Who waits for one promise after the other does so on one line, so that
 * waiting makes no closure each time; on a line that was given up a promise may still settle.
 */
export class Line<W extends Answered = Answered> {
  declare waiting: W | undefined;
  /** Its place among those that `Deadlines` sweeps, which keeps it. */
  declare slot: number;
  /** The next spare one. */
  declare next: Line<W> | undefined;
  declare private readonly answered: (value: unknown) => unknown;
  declare private readonly rejected: (thrown: unknown) => unknown;

  constructor(waiting: W) {
    this.waiting = waiting;
    this.slot = -1;
    this.next = undefined;
    this.answered = (value) => this.waiting?.answered(value);
    this.rejected = (thrown) => this.waiting?.rejected(thrown);
  }

  /**
   * Waits; calls back once, never at once. Gives the promise of the wait where that is one of the engine's own. Throws
   * what a hostile promise throws at being looked at.
   */
  wait(promise: Promise<unknown>): Promise<unknown> | undefined {
    // The same as below, of which V8 makes much less where it can see through it.
    if (promise.then === then && promise.constructor === Promise) return promise.then(this.answered, this.rejected);
    void then.call(promise, this.answered, this.rejected);
    return undefined;
  }
}

/** The engine's own `then`: one that a promise brings along may call back twice, or at once. */
const { then } = Promise.prototype;

/** What is to be waited for, if anything is, as `await` decides it. May throw what a getter throws. */
export function promised(value: unknown): Promise<unknown> | undefined {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  const own: unknown = (value as { then?: unknown }).then;
  if (own === then) return value as Promise<unknown>;
  return typeof own === "function" ? Promise.resolve(value) : undefined;
}
