import { type Fold, itself } from "./fold.ts";

/** Folds to true if any answer is truthy; otherwise to no result. */
export function any(): Fold<unknown, true> {
  return {
    name: "any",
    empty: undefined,
    step: (state, answer) => (state === true || answer ? true : undefined),
    settled: (state) => state === true,
    result: itself,
  };
}
