import { type Fold, itself, never } from "./fold.ts";

/** Keeps every item that any answer lists, without duplicates, in order of first occurrence. */
export function union<T>(): Fold<readonly T[], T[]> {
  return {
    name: "union",
    empty: undefined,
    step: (state, answer) => [...new Set([...((state as T[] | undefined) ?? []), ...answer])],
    settled: never,
    result: itself,
  };
}
