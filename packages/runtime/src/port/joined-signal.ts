/** A signal that follows others until it is left. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Follows them no more; to be called when what has the signal is over. */
  leave(): void;
}

/**
 * A signal that is aborted with the first of these, for its reason. For code that is not ours: it may leave a listener at
 * the signal, and Node keeps a signal of `AbortSignal.any` with all that it leads to for as long as it has one.
 */
export function joinedSignal(...signals: readonly (AbortSignal | null | undefined)[]): JoinedSignal {
  const joined = new AbortController();
  const followed = signals.filter((signal) => signal !== undefined && signal !== null);
  const leave = (): void => {
    for (const signal of followed) signal.removeEventListener("abort", abort);
  };
  const abort = (): void => {
    leave();
    joined.abort(followed.find(({ aborted }) => aborted)?.reason);
  };
  if (followed.some(({ aborted }) => aborted)) abort();
  else for (const signal of followed) signal.addEventListener("abort", abort, { once: true });
  return { signal: joined.signal, leave };
}
