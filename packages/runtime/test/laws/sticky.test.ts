import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyHooks, type Case, decisionOf, laneCase, run } from "./cases.ts";
import type { Say, Script } from "./script.ts";
import { RUNS } from "./seed.ts";

const ranks = ["allow", "ask", "deny"];
const rank = (decision: string): number => ranks.indexOf(decision);

const guards = fc
  .array(laneCase("guard"), { minLength: 1, maxLength: 3 })
  .map((lanes): Case => ({ kind: "guard", ends: true, lanes }));

/** A handler that decides and edits nothing. */
const decider: fc.Arbitrary<Script> = fc.record({
  touch: fc.constant([]),
  say: fc.constantFrom<Say>(
    { what: "nothing" },
    { what: "echo" },
    { what: "throw", message: "boom" },
    { what: "bad" },
    { what: "hang" },
    { what: "answer", answer: { ask: true } },
    { what: "answer", answer: { block: true, reason: "no" } },
    { what: "answer", answer: { note: "n" } },
    { what: "answer", answer: {} },
  ),
  mode: fc.constantFrom<Script["mode"]>("sync", "async", "thenable", "twice"),
  ticks: fc.nat({ max: 5 }),
});

const withScripts = (of: Case, scripts: (own: readonly Script[], row: number) => readonly Script[]): Case => {
  let n = 0;
  const lanes = of.lanes.map((lane) => ({
    ...lane,
    rows: lane.rows.map((cells) => ({ ...cells, scripts: scripts(cells.scripts, n++) })),
  }));
  return { ...of, lanes };
};

describe("law 2: a denial is sticky", () => {
  test("one more handler never loosens a decision", async () => {
    await fc.assert(
      fc.asyncProperty(
        guards,
        fc.array(fc.array(decider, { maxLength: 4 }), { minLength: 6, maxLength: 6 }),
        decider,
        fc.nat(),
        fc.nat(),
        async (of, deciders, more, where, at) => {
          const base = withScripts(of, (_, i) => deciders[i] ?? []);
          const target = where % base.lanes.flatMap((lane) => lane.rows).length;
          const added = withScripts(base, (own, i) =>
            i === target ? [...own.slice(0, at % (own.length + 1)), more, ...own.slice(at % (own.length + 1))] : own,
          );
          const before = anyHooks(base) ? decisionOf((await run(base)).outcome) : "allow";
          expect(rank(decisionOf((await run(added)).outcome))).toBeGreaterThanOrEqual(rank(before));
        },
      ),
      RUNS,
    );
  });

  test("if any hook blocks, the call is denied, whatever the others do", async () => {
    await fc.assert(
      fc.asyncProperty(guards.filter(anyHooks), async (one) => {
        const { outcome } = await run(one);
        const blocked = outcome.hooks.some(({ answer }) => (answer as any)?.block === true);
        if (blocked) expect(decisionOf(outcome)).toBe("deny");
      }),
      RUNS,
    );
  });
});
