import fc from "fast-check";
import { expect, test } from "vitest";
import { aCase, anyHooks, type Case, run } from "./cases.ts";
import { RUNS } from "./seed.ts";
import { lanesOf, openWith } from "./session.ts";

const ending = aCase.map((one): Case => ({ ...one, ends: true })).filter(anyHooks);

test("law 7: a short circuit ends the dispatch, and later hooks are recorded as not reached", async () => {
  await fc.assert(
    fc.asyncProperty(ending, async (one) => {
      const { outcome, shown } = await run(one, { trace: true });
      const answer = outcome.answer as any;
      if (answer.decision !== "deny" && answer.stop !== true) return;
      // The station in which it ended is that of the last who was asked.
      const last = Math.max(...shown.map(({ hook }) => Number(/^lane(\d)/.exec(hook)?.[1])));
      const beyond = outcome.hooks.filter(({ lane }) => Number(lane.slice(4)) > last);
      expect(new Set(beyond.map(({ status }) => status)).size).toBeLessThanOrEqual(1);
      for (const { status } of beyond) expect(status).toBe("not-reached");
    }),
    { ...RUNS, numRuns: 2000 },
  );
});

test("law 7: no hook is started after the answer that ended a series", async () => {
  const blocking = fc.nat({ max: 3 });
  await fc.assert(
    fc.asyncProperty(blocking, blocking, fc.constantFrom("sync" as const, "async" as const), async (lane, at, mode) => {
      const script = (what: any): any => ({ touch: [], say: what, mode, ticks: 1 });
      const lanes = [0, 1, 2, 3].map((l) => ({
        isolate: true,
        rows: [
          {
            schedule: "series" as const,
            feeds: { input: "chain" as const, items: "chain" as const, text: "chain" as const },
            keeps: false,
            closed: true,
            scripts: [0, 1, 2, 3].map((i) =>
              script(l === lane && i === at ? { what: "answer", answer: { block: true } } : { what: "nothing" }),
            ),
          },
        ],
      }));
      const { shown } = await run({ kind: "guard", ends: true, lanes });
      expect(shown.at(-1)?.hook).toBe(`lane${lane}:p#event0[${at}]`);
      expect(shown).toHaveLength(lane * 4 + at + 1);
    }),
    RUNS,
  );
});

test("law 7: agent.stop asks every lane, whoever stops", async () => {
  const asked: string[] = [];
  const { session } = await openWith({
    dialects: lanesOf(["a", "b", "c"], "agent.stop", (lane) => () => {
      asked.push(lane);
      return { stop: true, feedback: lane };
    }),
  });
  const payload = { prompt: "", reply: "", messages: [], retryCount: 0, stopHookActive: false };
  const { answer } = await session.emit("agent.stop", payload);
  expect(asked).toEqual(["a", "b", "c"]);
  expect(answer).toEqual({ stop: true, feedback: ["a", "b", "c"] });
});
