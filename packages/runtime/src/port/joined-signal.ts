/** A signal that is aborted with any of several others, until it is detached from them. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Detaches the signal from the others; to be called when the work that uses the signal is over. */
  leave(): void;
}

/**
 * Returns a signal that is aborted with the first of these, for the same reason. Use it for code that is not ours,
 * which may leave a listener on the signal: Node keeps a signal of `AbortSignal.any` alive, with everything that it
 * refers to, while it has a listener.
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
