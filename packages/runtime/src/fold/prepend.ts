import { type Fold, itself, never } from "./fold.ts";

/** Collects every answer into a list, the last answer first. */
export function prepend<A>(): Fold<A, A[]> & { readonly name: "prepend" } {
  return {
    name: "prepend",
    empty: undefined,
    step: (state, answer) => [answer, ...((state as A[] | undefined) ?? [])],
    settled: never,
    result: itself,
  };
}
