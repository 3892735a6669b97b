import fc from "fast-check";
import { expect, test } from "vitest";
import { aCase, anyHooks, type Case, run } from "./cases.ts";
import type { Script } from "./script.ts";
import { RUNS } from "./seed.ts";

const told = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inner) => (name === "ms" || name === "stderr" ? undefined : inner)));

/** Without the numbers of hooks, which one more hook shifts. */
const unnumbered = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/\[\d+\]/g, ""));

/** The same hooks with other timing. */
function retimed(of: Case, timing: readonly (readonly [Script["mode"], number])[]): Case {
  let i = 0;
  const next = (script: Script): Script => {
    const [mode, ticks] = timing[i++ % timing.length] as readonly [Script["mode"], number];
    return { ...script, mode, ticks };
  };
  const lanes = of.lanes.map((lane) => ({
    ...lane,
    rows: lane.rows.map((row) => ({ ...row, scripts: row.scripts.map(next) })),
  }));
  return { ...of, lanes };
}

const timing = fc.array(
  fc.tuple(fc.constantFrom<Script["mode"]>("sync", "async", "thenable", "twice"), fc.nat({ max: 9 })),
  { minLength: 1, maxLength: 8 },
);

test("law 1: answers fold in registration order, whatever finished first", async () => {
  await fc.assert(
    fc.asyncProperty(aCase.filter(anyHooks), timing, timing, async (one, a, b) => {
      const [first, second] = [await run(retimed(one, a)), await run(retimed(one, b))];
      expect(told(first.outcome)).toEqual(told(second.outcome));
    }),
    RUNS,
  );
});

test("law 1: no answer is the same as no handler, if no hook is asked twice", async () => {
  const silent: Script = { touch: [], say: { what: "nothing" }, mode: "async", ticks: 3 };
  await fc.assert(
    fc.asyncProperty(aCase.filter(anyHooks), fc.nat(), async (one, at) => {
      const rows = one.lanes.flatMap((lane) => lane.rows);
      const row = rows[at % rows.length] as (typeof rows)[0];
      const i = at % (row.scripts.length + 1);
      const scripts = [...row.scripts.slice(0, i), silent, ...row.scripts.slice(i)];
      const more: Case = {
        ...one,
        lanes: one.lanes.map((lane) => ({
          ...lane,
          rows: lane.rows.map((other) => (other === row ? { ...other, scripts } : other)),
        })),
      };
      expect(unnumbered((await run(more)).outcome.answer)).toEqual(unnumbered((await run(one)).outcome.answer));
    }),
    RUNS,
  );
});

test("settling early never changes the result: a series gives the same as asking all", async () => {
  const deciding = aCase.filter(
    (one) => anyHooks(one) && one.lanes.every((lane) => lane.rows.every((row) => row.schedule !== "parallel")),
  );
  await fc.assert(
    fc.asyncProperty(deciding, async (one) => {
      const plain = (schedule: "series" | "all"): Case => ({
        ...one,
        lanes: one.lanes.map((lane) => ({
          ...lane,
          rows: lane.rows.map((row) => ({
            ...row,
            schedule,
            scripts: row.scripts.map((script) => ({ ...script, touch: [] })),
          })),
        })),
      });
      expect((await run(plain("series"))).outcome.answer).toEqual((await run(plain("all"))).outcome.answer);
    }),
    RUNS,
  );
});

test("synchronous handlers settle without a promise", async () => {
  await fc.assert(
    fc.asyncProperty(aCase.filter(anyHooks), async (one) => {
      const quick = retimed(one, [["sync", 0]]);
      const hangs = JSON.stringify(one).includes('"hang"');
      if (!hangs) expect((await run(quick)).atOnce).toBe(true);
    }),
    RUNS,
  );
});
