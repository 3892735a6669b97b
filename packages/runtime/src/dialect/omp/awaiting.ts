import type { Exports } from "../inprocess/provide.ts";

/** What omp throws where a wait was given up. */
class AbortError extends Error {
  override readonly name = "AbortError";

  constructor(signal: AbortSignal) {
    super(signal.reason instanceof Error ? `Aborted: ${signal.reason.message}` : "Aborted: Cancelled");
  }
}

/** A promise that is given up when the signal is aborted; what it comes to then is nobody's. */
async function untilAborted<T>(
  signal: AbortSignal | null | undefined,
  work: Promise<T> | (() => Promise<T>),
): Promise<T> {
  if (signal?.aborted) throw new AbortError(signal);
  const running = Promise.resolve(typeof work === "function" ? work() : work);
  if (signal == null) return running;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new AbortError(signal));
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([running, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** A promise that is given up after a time, with this text or error. */
async function withTimeout<T>(work: Promise<T>, ms: number, late: string | Error, signal?: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late instanceof Error ? late : new Error(late)), ms);
  return untilAborted(signal, Promise.race([work, promise])).finally(() => clearTimeout(timer));
}

/** A function that works out its value at the first call and keeps it. */
function once<T>(work: () => T): () => T {
  let kept: { readonly value: T } | undefined;
  return () => (kept ??= { value: work() }).value;
}

/** omp's ways to wait. */
export const awaiting: Exports = { AbortError, once, untilAborted, withTimeout };
