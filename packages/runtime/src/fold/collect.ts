import { type Fold, itself, never } from "./fold.ts";

/** The lists that this fold has made, to tell them from answers that are lists. */
const collected = new WeakSet<object>();

/**
 * Collects every answer into a list, in registration order. A list that this fold made from a lane's answers counts as
 * several answers, so folding lane by lane gives the same list as folding all at once.
 */
export function collect<A>(): Fold<A, A[]> & { readonly name: "collect" } {
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
