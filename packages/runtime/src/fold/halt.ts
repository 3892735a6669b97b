import type { Fold } from "./fold.ts";

interface State<A> {
  readonly inner: unknown;
  readonly halted: { readonly answer: A } | undefined;
}

/** A rule for answers that end the dispatch, and for what remains of the answers before them. */
export interface Halt<A, O> {
  /** The rule's name, such as `block`, which the reference shows as a part of the fold's name. */
  readonly name: string;
  /** Returns whether this answer ends the dispatch. */
  by(answer: A): boolean;
  /**
   * Makes the final result from the halting answer and the result of the answers before it. Without `keep`, the halting
   * answer is folded like the others.
   */
  keep?(answer: A, before: O | undefined): O;
}

/** Folds with `inner` until an answer halts; later answers change nothing. */
export function halt<A, O>(rule: Halt<A, O>, inner: Fold<A, O>): Fold<A, O> {
  const empty: State<A> = { inner: inner.empty, halted: undefined };
  return {
    name: `halt(${rule.name}, ${inner.name})`,
    empty,
    step(state, answer) {
      const now = state as State<A>;
      if (now.halted !== undefined) return now;
      const halted = rule.by(answer) ? { answer } : undefined;
      const isKept = halted === undefined || rule.keep === undefined;
      return { inner: isKept ? inner.step(now.inner, answer) : now.inner, halted };
    },
    settled: (state) => (state as State<A>).halted !== undefined || inner.settled((state as State<A>).inner),
    result(state) {
      const now = state as State<A>;
      const before = inner.result(now.inner);
      return now.halted === undefined || rule.keep === undefined ? before : rule.keep(now.halted.answer, before);
    },
  };
}

/** Returns the halting answer alone. As `keep` of a `Halt`, it drops the answers before it. */
export function answerOnly<A>(answer: A): A {
  return answer;
}
