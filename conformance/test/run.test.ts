import { chibi, dialects, omp, pi } from "@hookline/runtime/dialects";
import { describe, expect, test } from "vitest";
import type { Case } from "../case.ts";
import { observe, runCase } from "../run.ts";
import { holding, planted } from "./plant.ts";

const run = (one: Case): Promise<string | undefined> => runCase(one, dialects);

describe("a case", () => {
  test("that says what happens holds, and again", async () => {
    expect(await run(holding)).toBeUndefined();
    expect(await run(holding)).toBeUndefined();
  });

  test.each<[string, Partial<Case["expect"]>, string]>([
    ["answer", { answer: { text: "a" } }, 'answer.text: wanted "a", got "b"'],
    ["answer that is missing a field", { answer: {} }, 'answer.text: wanted nothing, got "b"'],
    ["answer with a field too many", { answer: { text: "b", stop: true } }, "answer.stop: wanted true, got nothing"],
    ["event that was seen", { saw: [{ prompt: "x" }, {}] }, 'saw[0].prompt: wanted "x", got "typed"'],
    ["event with a field that is not named", { saw: [{ prompt: "typed", summary: "" }, {}] }, "saw[0].context_name"],
    ["number of events", { saw: [{ $: "more" }] }, "saw: wanted"],
    ["order of asking", { asked: [1, 0] }, "asked[0]: wanted 1, got 0"],
    ["number of askings", { asked: [0] }, "asked: wanted [0], got [0,1]"],
    ["problem", { diagnostics: ["FAILED_OPEN"] }, 'diagnostics: wanted ["FAILED_OPEN"], got []'],
    ["author of an edit", { edited: ["prompt by 1"] }, "edited: wanted"],
    ["time", { tookMs: 30_000 }, "tookMs: wanted 30000, got 0"],
  ])("with a wrong %s is caught", async (_, wrong, why) => {
    expect(await run({ ...holding, expect: { ...holding.expect, ...wrong } })).toContain(why);
  });

  test("without a list of the asked expects every hook once, and without problems none", async () => {
    const { asked: _, diagnostics: __, ...least } = holding.expect;
    expect(await run({ ...holding, expect: least })).toBeUndefined();
    const failing = [{ event: "pre_message", fails: { cause: "exited", message: "exit code 1" } } as const];
    expect(await run(planted(failing, { answer: {} }))).toContain('got ["HOOK_EXITED","FAILED_OPEN"]');
    const gone = { ...holding, hooks: [{ ...holding.hooks[0], event: "on_start" }] } as Case;
    expect(await run({ ...gone, expect: { answer: {} } })).toContain("asked: wanted [0], got []");
  });

  test.each<[string, Partial<Case>, string]>([
    ["an event that hookline has not", { event: "prompt.never" }, 'hookline has no event "prompt.never"'],
    ["a payload that is not the event's", { payload: { prompt: "x" } }, "the payload is not that of prompt.before"],
    ["a lane that there is not", { hooks: [{ event: "pre_message", lane: "other" }] }, 'there is no lane "other"'],
    ["an event that the lane has not", { hooks: [{ event: "pre_mesage" }] }, 'chibi has no event "pre_mesage"'],
    ["a program that edits in place", { hooks: [{ event: "pre_message", edit: { prompt: "x" } }] }, "is a program"],
  ])("with %s cannot be run", async (_, wrong, why) => {
    expect(await run({ ...holding, ...wrong })).toContain(why);
  });

  test("whose event never ends says so instead of waiting", async () => {
    const one: Case = {
      ...planted([{ lane: "omp-hooks", event: "agent_start", hangs: true }], { answer: {} }),
      event: "agent.start",
      payload: {},
    };
    expect(await run(one)).toContain("never ends");
  });

  test("that the host gives up ends, and what comes later changes nothing", async () => {
    const hooks = [
      { event: "pre_message", takesMs: 5000, answer: { prompt: "late" } },
      { event: "pre_message", answer: { prompt: "never" } },
    ];
    expect(await run(planted(hooks, { answer: {}, asked: [0], tookMs: 1000 }, { abortAtMs: 1000 }))).toBeUndefined();
  });
});

describe("time in a case", () => {
  test("passes as its hooks take it, and a limit is found out when it is over", async () => {
    const hooks = [
      { event: "pre_message", takesMs: 29_000, answer: { prompt: "a" } },
      { event: "pre_message", takesMs: 31_000, answer: { prompt: "b" } },
    ];
    const got = await observe(planted(hooks, { answer: {} }), [chibi]);
    expect(got).toMatchObject({
      answer: { text: "a" },
      tookMs: 59_000,
      diagnostics: ["HOOK_TIMED_OUT", "FAILED_OPEN"],
    });
  });
});

describe("hooks of a case", () => {
  test("may edit in place, or register others, where they share the agent's process", async () => {
    const hooks = [
      { lane: "pi", event: "context", push: { messages: { role: "user", content: "b", timestamp: 2 } } },
      { lane: "pi", event: "context", edit: { "messages.0.content": "A" } },
      { lane: "pi", event: "context", by: 0 },
    ];
    const payload = { messages: [{ role: "user", content: "a", timestamp: 1 }], systemPrompt: "" };
    const one = { ...planted(hooks, { answer: {} }), event: "model.context", payload, times: 2 };
    const got = await observe(one, [pi]);
    // A handler that is registered later has the place of its module.
    expect(got.asked).toEqual([0, 1, 0, 2, 1]);
    expect(got.answer).toEqual({
      messages: [
        { role: "user", content: "A", timestamp: 1 },
        { role: "user", content: "b", timestamp: 2 },
      ],
    });
    expect(payload.messages).toHaveLength(1);
  });

  test("answer one time after the other as they are told, the last answer again and again", async () => {
    const hooks = [{ lane: "omp", event: "input", answers: [{ text: "a" }, { text: "b" }] }];
    const payload = { text: "typed", source: "rpc" };
    const one = { ...planted(hooks, { answer: {} }), event: "input", payload };
    expect((await observe({ ...one, times: 1 }, [omp])).answer).toEqual({ text: "a" });
    expect((await observe({ ...one, times: 3 }, [omp])).answer).toEqual({ text: "b" });
  });
});
