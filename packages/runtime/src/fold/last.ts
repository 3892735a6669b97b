import { type Fold, itself, never } from "./fold.ts";

/** Takes the last answer as a whole. */
export function last<A>(): Fold<A, A> {
  return { name: "last", empty: undefined, step: (_, answer) => answer, settled: never, result: itself };
}
