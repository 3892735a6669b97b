import { type Fold, itself } from "./fold.ts";

/** True if any answer is truthy; otherwise absent. */
export function any(): Fold<unknown, true> {
  return {
    name: "any",
    empty: undefined,
    step: (state, answer) => (state === true || answer ? true : undefined),
    settled: (state) => state === true,
    result: itself,
  };
}
