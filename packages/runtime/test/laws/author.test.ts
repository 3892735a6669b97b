import fc from "fast-check";
import { expect, test } from "vitest";
import { aCase, anyHooks, PAYLOAD, run } from "./cases.ts";
import { RUNS } from "./seed.ts";

const names: Readonly<Record<string, readonly string[]>> = {
  args: ["args", "input"],
  items: ["items"],
  text: ["text"],
};

test("law 5: every difference between the first and the final payload has an author", async () => {
  await fc.assert(
    fc.asyncProperty(aCase.filter(anyHooks), fc.boolean(), async (one, trace) => {
      const { outcome } = await run(one, { trace });
      const ids = new Set(outcome.hooks.map(({ hook }) => hook));
      for (const [field, known] of Object.entries(names)) {
        const final = (outcome.answer as any)[field];
        const first = PAYLOAD[field];
        if (final === undefined || JSON.stringify(final) === JSON.stringify(first)) continue;
        const own = outcome.edits.filter((edit) => known.includes(edit.field) || edit.field === field);
        expect(own.map(({ to }) => to)).toContainEqual(final);
        const values = [first];
        for (const { from, to } of own) {
          expect(values).toContainEqual(from);
          values.push(to);
        }
      }
      for (const { hook, lane } of outcome.edits) {
        expect(one.lanes.map((_, l) => `lane${l}`)).toContain(lane);
        expect(hook === lane || ids.has(hook)).toBe(true);
        if (trace) expect(hook).not.toBe(lane);
      }
    }),
    { ...RUNS, numRuns: 2000 },
  );
});

test("under trace everybody is in the outcome, once for each time they were asked or passed over", async () => {
  await fc.assert(
    fc.asyncProperty(aCase.filter(anyHooks), async (one) => {
      const { outcome, shown } = await run(one, { trace: true });
      const told = outcome.hooks.filter(({ status }) => status !== "not-reached");
      expect(told.map(({ hook, pass }) => `${hook} ${pass}`)).toEqual(shown.map(({ hook, pass }) => `${hook} ${pass}`));
      const all = one.lanes.flatMap(({ rows }, l) =>
        rows.flatMap(({ scripts }, r) => scripts.map((_, i) => `lane${l}:p#event${r}[${i}]`)),
      );
      expect(new Set(outcome.hooks.map(({ hook }) => hook))).toEqual(new Set(all));
    }),
    RUNS,
  );
});
