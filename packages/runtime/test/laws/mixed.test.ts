import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectedMixed, LANES, type Mixed, mixed, PAYLOADS, runMixed } from "./mixed.ts";
import { RUNS } from "./seed.ts";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
const runs = { ...RUNS, numRuns: 2000 };
const laneOf = (hook: string): number => LANES.findIndex(({ id }) => hook.startsWith(`${id}:`));

describe("hooks of all dialects on one event", () => {
  test("give the same as the reference, for any hooks", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async (one) => {
        const must = expectedMixed(one);
        const { outcome, shown, payload } = await runMixed(one);
        expect(json(shown)).toEqual(json(must.shown));
        expect(json(outcome.hooks.map(({ hook, pass, status }) => ({ hook, pass, status })))).toEqual(must.runs);
        expect(json(outcome.edits)).toEqual(json(must.edits));
        const { reason: _, ...answer } = outcome.answer;
        const { reason: __, ...mustAnswer } = must.answer;
        // The text that stands for a withheld result names the hook and why.
        if (must.isWithheld) expect(json(answer["content"])).toEqual([{ type: "text", text: expect.any(String) }]);
        else expect(json(answer)).toEqual(json(mustAnswer));
        expect(payload).toEqual(PAYLOADS[one.event]);
      }),
      runs,
    );
  });

  test("law 1: are asked in the order of the lanes, and fold the same whatever finishes first", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, fc.array(fc.nat({ max: 9 }), { minLength: 8, maxLength: 8 }), async (one, ticks) => {
        const retimed: Mixed = {
          ...one,
          hooks: one.hooks.map((hook, index) => ({ ...hook, ticks: ticks[index] as number })),
        };
        const [first, second] = [await runMixed(one), await runMixed(retimed)];
        expect(json(second.outcome.answer)).toEqual(json(first.outcome.answer));
        for (const pass of [1, 2]) {
          // Hooks that disagree are asked again before the next lane, and so before those who judge once more.
          const isIn = (shown: { pass: number; hook: string }) =>
            shown.pass === pass && !(pass === 2 && shown.hook.startsWith("claude:"));
          const lanes = first.shown.filter(isIn).map(({ hook }) => laneOf(hook));
          expect(lanes).toEqual([...lanes].sort((a, b) => a - b));
        }
      }),
      runs,
    );
  });

  test("laws 2 and 7: one more hook never turns a refused call into an allowed one", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, mixed, async ({ hooks }, { hooks: more }) => {
        const decision = async (all: Mixed["hooks"]): Promise<unknown> =>
          ((await runMixed({ event: "tool.before", hooks: all })).outcome.answer as any).decision;
        const { shown, outcome } = await runMixed({ event: "tool.before", hooks });
        if ((outcome.answer as any).decision !== "deny" || shown.some(({ pass }) => pass === 2)) return;
        // Behind the hook that refused, in a lane behind its own.
        const last = laneOf(shown.at(-1)?.hook ?? "");
        const behind = more.filter(({ lane }) => LANES.findIndex(({ id }) => id === lane) > last);
        expect(await decision([...hooks, ...behind])).toBe("deny");
      }),
      runs,
    );
  });

  test("law 3: a guard that edited nothing and did not fail has seen the final call, or it does not run", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async ({ hooks }) => {
        const { outcome, shown } = await runMixed({ event: "tool.before", hooks });
        const { decision, args = PAYLOADS["tool.before"].args } = outcome.answer as any;
        if (decision === "deny") return;
        const edited = new Set(outcome.edits.map(({ hook }) => hook));
        const failed = new Set(
          outcome.hooks.filter(({ status }) => /failed|timed/.test(status)).map(({ hook }) => hook),
        );
        for (const hook of new Set(shown.map(({ hook }) => hook))) {
          if (edited.has(hook) || failed.has(hook)) continue;
          const last: any = shown.findLast((one) => one.hook === hook)?.event;
          const command =
            last.input?.command ??
            last.tool_input?.command ??
            last.arguments?.command ??
            JSON.parse(last.tool_arguments).command;
          // The hook that set the value in place has seen what it set.
          if (hooks[Number(/\/m\/(\d+)#/.exec(hook)?.[1])]?.touch === args.command) continue;
          expect(command).toBe(args.command);
        }
      }),
      runs,
    );
  });

  test("laws 4 and 5: every failure is reported, and every change of the value has an author among the hooks", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async (one) => {
        const { outcome, reported } = await runMixed(one);
        for (const { hook, status } of outcome.hooks) {
          if (status !== "failed" && status !== "timed-out") continue;
          expect(reported.some((diagnostic) => diagnostic.hook === hook)).toBe(true);
        }
        const changed = Object.keys(outcome.answer as object).some((name) => name === "args" || name === "content");
        const ids = new Set(outcome.hooks.map(({ hook }) => hook));
        const authors = outcome.edits.map(({ hook }) => hook);
        if (changed) expect(authors.length).toBeGreaterThan(0);
        for (const author of authors) expect(ids.has(author) || LANES.some(({ id }) => id === author)).toBe(true);
      }),
      runs,
    );
  });
});
