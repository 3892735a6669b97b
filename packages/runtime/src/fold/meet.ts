import { type Fold, itself, never } from "./fold.ts";

/** Keeps only the items that every answer lists, in the first answer's order. */
export function meet<T>(): Fold<readonly T[], T[]> {
  return {
    name: "meet",
    empty: undefined,
    step: (state, answer) =>
      state === undefined ? [...new Set(answer)] : (state as T[]).filter((item) => answer.includes(item)),
    settled: never,
    result: itself,
  };
}
