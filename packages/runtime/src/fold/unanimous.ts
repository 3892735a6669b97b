import { type Fold, itself, never } from "./fold.ts";

/** What counts as agreement, and what becomes of all answers. */
export interface Unanimity<A, O> {
  /** For the reference, such as `allow`. */
  readonly name: string;
  agrees(answer: A): boolean;
  /** Makes the outcome of the whole answers, in registration order. */
  combine(answers: readonly A[], isUnanimous: boolean): O;
}

/** Whole answers that count together: the outcome knows whether all of them agree. Nobody's answer ends it. */
export function unanimous<A, O>(rule: Unanimity<A, O>): Fold<A, O> {
  const list = (state: unknown): readonly A[] => (state as readonly A[] | undefined) ?? [];
  return {
    name: `unanimous(${rule.name})`,
    empty: undefined,
    step: (state, answer) => [...list(state), answer],
    settled: never,
    result: (state) =>
      state === undefined
        ? itself(state)
        : rule.combine(
            list(state),
            list(state).every((one) => rule.agrees(one)),
          ),
  };
}
