import { type Fold, itself } from "./fold.ts";

/** True as soon as one answer is truthy; absent otherwise. */
export function any(): Fold<unknown, true> {
  return {
    name: "any",
    empty: undefined,
    step: (state, answer) => (state === true || answer ? true : undefined),
    settled: (state) => state === true,
    result: itself,
  };
}
