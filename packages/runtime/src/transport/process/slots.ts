/** A limit on what runs at the same time: a fixed number of slots, first come, first served. */
export interface Slots {
  /**
   * Waits for a slot. Returns a function that frees it, to be called once; `undefined` if the signal was aborted or the
   * slots were closed first.
   */
  enter(signal?: AbortSignal): Promise<(() => void) | undefined>;
  /** Makes every `enter` that still waits return `undefined`. */
  close(): void;
}

/** Returns `count` slots, which are assigned in order of arrival (guarantees R13). */
export function createSlots(count: number): Slots {
  let free = count;
  let closed = false;
  // The waiting callers. A set keeps the order of arrival and allows removal in constant time.
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
