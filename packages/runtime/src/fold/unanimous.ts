import { type Fold, never } from "./fold.ts";

/** The rule for agreement, and the outcome of all answers. */
export interface Unanimity<A, O> {
  /** For the reference, such as `allow`. */
  readonly name: string;
  readonly agrees: (answer: A) => boolean;
  /** Makes the outcome of the whole answers, in registration order. */
  readonly combine: (answers: readonly A[], isUnanimous: boolean) => O;
}

/** Whole answers that count together: the outcome knows whether all of them agree. Nobody's answer ends it. */
export function unanimous<A, O>({ name, agrees, combine }: Unanimity<A, O>): Fold<A, O> {
  return {
    name: `unanimous(${name})`,
    empty: undefined,
    step: (state, answer) => [...((state as readonly A[] | undefined) ?? []), answer],
    settled: never,
    result(state) {
      const all = state as readonly A[] | undefined;
      return all && combine(all, all.every(agrees));
    },
  };
}
