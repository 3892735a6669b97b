import { type Fold, itself, never } from "./fold.ts";

/** Every answer counts, as a list in registration order. */
export function collect<A>(): Fold<A, A[]> {
  return {
    name: "collect",
    empty: undefined,
    step: (state, answer) => (state === undefined ? [answer] : [...(state as A[]), answer]),
    settled: never,
    result: itself,
  };
}
