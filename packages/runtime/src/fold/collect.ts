import { type Fold, itself, never } from "./fold.ts";

/** The lists that this fold has made. */
const collected = new WeakSet<object>();

/**
 * Every answer counts, as a list in registration order. A list that this fold made of a lane's answers is several
 * answers and not one, so that folding lane by lane gives the same list as folding at once.
 */
export function collect<A>(): Fold<A, A[]> {
  return {
    name: "collect",
    empty: undefined,
    step(state, answer) {
      const several = typeof answer === "object" && answer !== null && collected.has(answer);
      const list = [...((state as A[] | undefined) ?? []), ...(several ? (answer as unknown as A[]) : [answer])];
      collected.add(list);
      return list;
    },
    settled: never,
    result: itself,
  };
}
