/** Throws if the call was aborted. A tool calls this before each step. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Error("Operation aborted");
}

/**
 * Runs work that may be abandoned: an abort rejects at once, even if the work never ends. Must only be used for work
 * that changes nothing.
 */
export async function abortable<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  throwIfAborted(signal);
  if (!signal) return run();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new Error("Operation aborted"));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
