import { type Fold, itself, never } from "./fold.ts";

/** Every answer counts, as a list whose first item is the last answer. */
export function prepend<A>(): Fold<A, A[]> {
  return {
    name: "prepend",
    empty: undefined,
    step: (state, answer) => [answer, ...((state as A[] | undefined) ?? [])],
    settled: never,
    result: itself,
  };
}
