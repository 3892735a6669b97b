import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCase, anyHooks, expected, PAYLOAD, run } from "./cases.ts";
import { RUNS } from "./seed.ts";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

describe("the loop", () => {
  test("gives the same as the reference, for any hooks", async () => {
    await fc.assert(
      fc.asyncProperty(aCase.filter(anyHooks), async (one) => {
        const must = expected(one);
        const { outcome, shown, payload } = await run(one);
        expect(shown).toEqual(must.shown);
        expect(json(outcome.hooks.map(({ hook, pass, status }) => ({ hook, pass, status })))).toEqual(must.runs);
        expect(json(outcome.edits)).toEqual(json(must.edits));
        const { reason: _, ...answer } = outcome.answer;
        const { reason: __, ...mustAnswer } = must.answer;
        expect(json(answer)).toEqual(json(mustAnswer));
        expect(outcome.notices).toEqual([]);
        expect(payload).toEqual(PAYLOAD);
      }),
      { ...RUNS, numRuns: 3000 },
    );
  });
});
