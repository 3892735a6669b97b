/** The most calls of one session that may wait. */
const MOST_WAITING = 64;

/** Thrown if a call's turn did not come in time, or if too many calls wait already. */
export class NotBegun extends Error {}

/** Runs the calls of one session one after the other, in order of arrival. */
export class Line {
  /** The last call in the line; absent while there is none. */
  #last: Promise<unknown> | undefined;
  #waiting = 0;

  /** Does the work when its turn comes; throws `NotBegun` if that is not in time, or if too many calls wait already. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw new NotBegun(`queue: ${MOST_WAITING} calls are already waiting`);
    if (signal.aborted) throw late();
    const before = this.#last;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // A call that gives up keeps its place in the line, so that the next call still waits for all before it.
    const place = before?.then(() => over) ?? over;
    this.#last = place;
    if (before !== undefined) await this.#turn(before, signal, end);
    try {
      return await work();
    } finally {
      end();
      if (this.#last === place) this.#last = undefined;
    }
  }

  async #turn(before: Promise<unknown>, signal: AbortSignal, end: () => void): Promise<void> {
    this.#waiting += 1;
    try {
      await untilAborted(before, signal, late);
    } catch (thrown) {
      end();
      throw thrown;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function late(): NotBegun {
  return new NotBegun("queue: earlier calls have used up the time");
}

/** Waits for the promise, or rejects with the error of `because` once the signal is aborted. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, because: () => Error): Promise<T> {
  if (signal.aborted) throw because();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(because());
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
