/** What is told when a promise has settled. */
export interface Answered {
  answered(value: unknown): void;
  rejected(thrown: unknown): void;
}

/**
 * The two ends of a promise that is waited for. Those who wait one after the other share a line, so that waiting makes
 * no closure each time; who gives up waiting keeps the line, since the promise may still settle on it.
 */
export class Line {
  declare private waiting: Answered | undefined;
  declare private readonly answered: (value: unknown) => void;
  declare private readonly rejected: (thrown: unknown) => void;

  private constructor() {
    this.waiting = undefined;
    this.answered = (value) => this.waiting?.answered(value);
    this.rejected = (thrown) => this.waiting?.rejected(thrown);
  }

  /** A line on which nobody waits. */
  static take(): Line {
    return spare.pop() ?? new Line();
  }

  /** Gives a line back on which nothing will ever settle any more. */
  free(): void {
    this.waiting = undefined;
    if (spare.length < MOST_SPARE) spare.push(this);
  }

  /** Waits; calls back once, never at once. Throws what a hostile promise throws at being looked at. */
  wait(waiting: Answered, promise: Promise<unknown>): void {
    this.waiting = waiting;
    void then.call(promise, this.answered, this.rejected);
  }
}

const MOST_SPARE = 64;
const spare: Line[] = [];

/** The engine's own `then`: one that a promise brings along may call back twice, or at once. */
const { then } = Promise.prototype;

/** What is to be waited for, if anything is, as `await` decides it. May throw what a getter throws. */
export function promised(value: unknown): Promise<unknown> | undefined {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  const own: unknown = (value as { then?: unknown }).then;
  if (own === then) return value as Promise<unknown>;
  return typeof own === "function" ? Promise.resolve(value) : undefined;
}
