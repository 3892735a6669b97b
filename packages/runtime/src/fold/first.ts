import { type Fold, itself } from "./fold.ts";

/** Takes the first answer as a whole; in a series, no later handler is asked. */
export function first<A>(): Fold<A, A> {
  return {
    name: "first",
    empty: undefined,
    step: (state, answer) => (state === undefined ? answer : state),
    settled: (state) => state !== undefined,
    result: itself,
  };
}
