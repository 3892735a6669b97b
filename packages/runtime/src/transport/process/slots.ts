/** A fixed number of places, first come, first served. */
export interface Slots {
  /**
   * Waits for a place. Returns a function that gives it back, to be called once; `undefined` if the signal fired or the
   * slots were closed first.
   */
  enter(signal?: AbortSignal): Promise<(() => void) | undefined>;
  /** Rejects everybody who still waits. */
  close(): void;
}

/** Makes this many places, given out in order of arrival (guarantees R13). */
export function createSlots(count: number): Slots {
  let free = count;
  let closed = false;
  // A set keeps the order of arrival and lets anyone leave in constant time.
  const waiting = new Set<(granted: boolean) => void>();

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) free++;
    else next(true);
  }

  function wait(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (granted: boolean): void => {
        waiting.delete(settle);
        signal?.removeEventListener("abort", onAbort);
        resolve(granted);
      };
      const onAbort = (): void => settle(false);
      waiting.add(settle);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  return {
    async enter(signal) {
      if (closed || signal?.aborted === true) return undefined;
      if (free > 0) free--;
      else if (!(await wait(signal))) return undefined;
      return leave;
    },
    close() {
      closed = true;
      for (const settle of [...waiting]) settle(false);
    },
  };
}
