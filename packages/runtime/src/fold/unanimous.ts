import { type Fold, never } from "./fold.ts";

/** A rule that recognises answers that agree, and combines all answers into one outcome. */
export interface Unanimity<A, O> {
  /** The rule's name, such as `allow`, which the reference shows as a part of the fold's name. */
  readonly name: string;
  readonly agrees: (answer: A) => boolean;
  /** Makes the outcome of all answers, which are in registration order. */
  readonly combine: (answers: readonly A[], isUnanimous: boolean) => O;
}

/** Collects all answers, and combines them knowing whether they agree. No answer ends the dispatch early. */
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
