import type { Fold } from "./fold.ts";

/** A decision about a call: `deny` beats `ask`, and `ask` beats `allow`. */
export type Decision = "allow" | "ask" | "deny";

const ranks: readonly Decision[] = ["allow", "ask", "deny"];

/**
 * Takes the strictest decision: a later answer can tighten it, never loosen it. After a denial, no answer changes it.
 */
export function strictest(): Fold<Decision, Decision> {
  return {
    name: "strictest",
    empty: -1,
    step: (state, answer) => Math.max(state as number, ranks.indexOf(answer)),
    settled: (state) => state === ranks.length - 1,
    result: (state) => ranks[state as number],
  };
}
