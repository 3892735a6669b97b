import fc from "fast-check";
import { expect, test } from "vitest";
import { aCase, anyHooks, PAYLOAD, run } from "./cases.ts";
import type { Script } from "./script.ts";
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

test("an edit that a later answer reverts does not explain another field's change of the same values", async () => {
  const original = { input: "original", items: "original", text: "original" } as const;
  const row = { schedule: "series", feeds: original, keeps: false, closed: false } as const;
  const script = { touch: [], on: undefined, mode: "sync", ticks: 0 } as const;
  const answers = (answer: Readonly<Record<string, unknown>>): Script => ({
    ...script,
    say: { what: "answer", answer },
  });
  const rm = { command: "rm" };
  const x = { command: "x" };
  const { outcome } = await run({
    kind: "guard",
    ends: false,
    lanes: [
      {
        isolate: true,
        rows: [
          { ...row, scripts: [answers({ input: rm, items: rm })] },
          { ...row, scripts: [answers({ items: x }), answers({ items: rm, rewrite: "x" })] },
        ],
      },
    ],
  });
  expect(outcome.answer).toMatchObject({ args: x, items: rm });
  expect(outcome.edits.map(({ hook, field, from, to }) => [hook, field, from, to])).toEqual([
    ["lane0:p#event0[0]", "input", { command: "ls" }, rm],
    ["lane0:p#event0[0]", "items", x, rm],
    ["lane0:p#event1[0]", "items", rm, x],
    ["lane0:p#event1[1]", "args", rm, x],
  ]);
});

test("under trace every hook is in the outcome, once for each time it was asked or skipped", async () => {
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
