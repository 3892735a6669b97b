import { type Fold, itself, never } from "./fold.ts";

/** Lists that `collect` made. A list that a hook answered is not among them, and remains one answer. */
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
