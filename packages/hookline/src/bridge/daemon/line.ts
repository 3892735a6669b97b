/** Most calls of one session that may wait. */
const MOST_WAITING = 64;

/** Why a call was not begun. */
export class NotBegun extends Error {}

/** Has the calls of one session asked one after the other, in order of arrival. */
export class Line {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Does the work when its turn has come; throws `NotBegun` when it has not in time, or when too many wait already. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw new NotBegun(`queue: ${MOST_WAITING} calls wait already`);
    const before = this.#last;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // Who gives up keeps the place: the next one's turn is when everybody before is done.
    this.#last = before.then(() => over);
    this.#waiting += 1;
    try {
      await untilAborted(before, signal, () => new NotBegun("queue: the calls before it have taken all the time"));
    } catch (thrown) {
      end();
      throw thrown;
    } finally {
      this.#waiting -= 1;
    }
    try {
      return await work();
    } finally {
      end();
    }
  }
}

/** The promise, or what `because` gives once the signal is aborted. */
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
