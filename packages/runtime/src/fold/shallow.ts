import { type Fold, itself, never } from "./fold.ts";

type Keyed = Readonly<Record<string, unknown>>;

/** Merges answers key by key at the top level; the last value of a key wins. `__proto__` is a key like any other. */
export function shallow(): Fold<Keyed, Keyed> {
  return {
    name: "shallow",
    empty: undefined,
    step: (state, answer) => ({ ...(state as Keyed | undefined), ...answer }),
    settled: never,
    result: itself,
  };
}
