import { type Fold, itself, never } from "./fold.ts";

/** Joins the items of all answers into one flat list, in registration order. */
export function concat<T>(): Fold<readonly T[], T[]> {
  return {
    name: "concat",
    empty: undefined,
    step: (state, answer) => [...((state as T[] | undefined) ?? []), ...answer],
    settled: never,
    result: itself,
  };
}
