import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Feed } from "../../src/catalog/row.ts";
import { type Case, decisionOf, PAYLOAD, run } from "./cases.ts";
import type { Say, Script } from "./script.ts";
import { RUNS } from "./seed.ts";

const word = fc.constantFrom("ls", "rm", "cat", "x");
const NOTHING: Say = { what: "nothing" };

/** Blocks, asks about or breaks at one command, and says nothing of others. */
const guard: fc.Arbitrary<Script> = fc
  .tuple(
    word,
    fc.constantFrom<Say>(
      { what: "answer", answer: { block: true, reason: "no" } },
      { what: "answer", answer: { ask: true } },
      { what: "throw", message: "cannot tell" },
    ),
  )
  .map(([command, say]) => ({ touch: [], say: NOTHING, on: { command, say }, mode: "async", ticks: 1 }));
const editor: fc.Arbitrary<Script> = word.map((command) => ({
  touch: [],
  say: { what: "answer", answer: { input: { command } } },
  mode: "sync",
  ticks: 0,
}));

const lane = fc.record({
  isolate: fc.boolean(),
  rows: fc.array(
    fc.record({
      schedule: fc.constantFrom("series" as const, "all" as const),
      feeds: fc.record({
        input: fc.constantFrom<Feed>("original", "chain", "draft"),
        items: fc.constant<Feed>("chain"),
        text: fc.constant<Feed>("chain"),
      }),
      keeps: fc.boolean(),
      closed: fc.boolean(),
      scripts: fc.array(fc.oneof(guard, guard, editor), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});
const cases = fc
  .array(lane, { minLength: 1, maxLength: 3 })
  .map((lanes): Case => ({ kind: "guard", ends: true, lanes }))
  .filter((one) => one.lanes.some(({ rows }) => rows.some(({ scripts }) => scripts.length > 0)));

describe("law 3: no tool runs with a call that a guard has not judged", () => {
  test("a guard that edited nothing has seen the final call, or it does not run", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { outcome, shown } = await run(one);
        const decision = decisionOf(outcome);
        if (decision === "deny") return;
        const final = (outcome.answer as any).args ?? PAYLOAD["args"];
        const failed = new Set(outcome.hooks.filter(({ status }) => status === "failed").map(({ hook }) => hook));
        one.lanes.forEach(({ rows }, l) => {
          rows.forEach(({ scripts }, r) => {
            scripts.forEach((script, i) => {
              const id = `lane${l}:p#event${r}[${i}]`;
              if (script.on === undefined || failed.has(id)) return;
              const seen = shown.filter(({ hook }) => hook === id).at(-1)?.event as any;
              expect(seen.input).toEqual(final);
              if (script.on.command !== final.command) return;
              expect(script.on.say).toEqual({ what: "answer", answer: { ask: true } });
              expect(decision).toBe("ask");
            });
          });
        });
      }),
      { ...RUNS, numRuns: 2000 },
    );
  });

  test("no hook is asked a third time, or twice about the same call", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { shown } = await run(one);
        for (const hook of new Set(shown.map((one) => one.hook))) {
          const own = shown.filter((other) => other.hook === hook).map(({ event }) => JSON.stringify(event));
          expect(new Set(own).size).toBe(own.length);
          expect(own.length).toBeLessThanOrEqual(2);
        }
      }),
      RUNS,
    );
  });
});
