import type { Scene } from "@hookline/runtime";
import type { LaneAnswer } from "@hookline/runtime/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Core, LOOP_DEFAULTS, type LoopSettings, newRun, type Run } from "../../src/turn/core.ts";
import { mayRetry } from "../../src/turn/feedback.ts";
import { startBench } from "../agent/bench.ts";

function runWith(
  settings: Partial<LoopSettings> = {},
  scene: Partial<Scene> = {},
): { readonly run: Run; readonly told: string[] } {
  const told: string[] = [];
  const core = {
    scene,
    settings: { ...LOOP_DEFAULTS, ...settings },
    tell: (event: { text: string }) => void told.push(event.text),
  } as unknown as Core;
  return { run: newRun(core, { typed: "", prompt: "", signal: new AbortController().signal }), told };
}

const wish = (lane: string): LaneAnswer => ({ lane, answer: { feedback: `of ${lane}` } });

describe("retries that hooks ask for", () => {
  test("the seeds' lanes share five, the claude lane has a separate eight", () => {
    const { run, told } = runWith();
    const heard = Array.from({ length: 10 }, () => [...run.retries.grant(run, ["jcli", "omp", "claude"])]);
    expect(heard.map((lanes) => lanes.join(" "))).toEqual([
      ...Array(5).fill("jcli omp claude"),
      ...Array(3).fill("claude"),
      ...Array(2).fill(""),
    ]);
    expect(told.map((text) => /the limit is (\d)/.exec(text)?.[1])).toEqual(["5", "8"]);
    expect([run.retries.count, run.retries.any]).toEqual([5, true]);
  });

  test("in a sub-agent all lanes share eight", () => {
    const { run, told } = runWith({}, { agentId: "a" });
    const heard = Array.from({ length: 5 }, () =>
      ["jcli", "claude"].map((lane) => run.retries.grant(run, [lane]).size),
    );
    expect(heard.flat()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
    expect(told).toEqual([expect.stringContaining("the limit is 8")]);
    expect([run.retries.count, run.retries.any]).toEqual([8, true]);
  });

  test("a limit that the person has set binds both; CLAUDE_CODE_STOP_HOOK_BLOCK_CAP only the claude lane", () => {
    const set = runWith({ feedbackCap: 2, claudeStopCap: 50 }).run;
    const asked = runWith({ claudeStopCap: 2 }).run;
    const grants = (run: Run, lane: string): number =>
      Array.from({ length: 20 }, () => mayRetry(run, [wish(lane)])).filter(Boolean).length;
    expect([grants(set, "claude"), grants(set, "chibi")]).toEqual([2, 2]);
    expect([grants(asked, "claude"), grants(asked, "chibi")]).toEqual([2, 5]);
  });

  test("however lanes take turns, no group gets more than its limit, and each is reported once", () => {
    const lanes = fc.subarray(["jcli", "chibi", "omp", "pi", "library", "claude"], { minLength: 1 });
    fc.assert(
      fc.property(fc.array(lanes, { maxLength: 60 }), (rounds) => {
        const { run, told } = runWith();
        let seeds = 0;
        let claude = 0;
        for (const wishing of rounds) {
          const heard = run.retries.grant(run, wishing);
          if ([...heard].some((lane) => lane !== "claude")) seeds += 1;
          if (heard.has("claude")) claude += 1;
        }
        expect(seeds).toBe(Math.min(5, rounds.filter((one) => one.some((lane) => lane !== "claude")).length));
        expect(claude).toBe(Math.min(8, rounds.filter((one) => one.includes("claude")).length));
        expect(told.length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

test("agent.stop has the limit of lanes that are counted separately", async () => {
  const heard: unknown[] = [];
  for (const settings of [{}, { feedbackCap: 2 }]) {
    const { agent, hooks } = await startBench({ settings, replies: [{ text: "done" }] });
    hooks.on("agent.stop", ({ cap }) => {
      heard.push(cap);
      return undefined;
    });
    await agent.prompt("Begin");
  }
  expect(heard).toEqual([8, 2]);
});
