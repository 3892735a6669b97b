import { type Fold, itself, never } from "./fold.ts";

/** Every item of every answer, in registration order: one flat list. */
export function concat<T>(): Fold<readonly T[], T[]> {
  return {
    name: "concat",
    empty: undefined,
    step: (state, answer) => [...((state as T[] | undefined) ?? []), ...answer],
    settled: never,
    result: itself,
  };
}
