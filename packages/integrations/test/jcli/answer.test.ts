import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, HookFailure } from "../../../runtime/src/run/failure.ts";
import { readCallResult, readEnding, readResult } from "../../src/jcli/hooks/answer.ts";
import { parseAnswer, readPrinted } from "../../src/jcli/hooks/bash.ts";
import { RESULT_FIELDS } from "../../src/jcli/hooks/fields.ts";
import { Printed, readTold, remarked } from "../../src/jcli/hooks/remarks.ts";
import { codes, Lane } from "./kit.ts";

const user = { role: "user", content: "hi" };
const whole = {
  user_input: "a",
  assistant_output: "b",
  messages: [user, { role: "assistant" }, { role: "tool", content: "x", tool_call_id: "c" }],
  system_prompt: "c",
  tool_arguments: '{"command":"ls"}',
  tool_result: "d",
  tool_error: "e",
  inject_messages: [{ role: "assistant", content: "", tool_calls: [{ id: "c", name: "Bash", arguments: "{}" }] }],
  action: "stop",
  retry_feedback: "f",
  additional_context: "g",
  system_message: "h",
} as const;

describe("reading an answer", () => {
  it("[jcli.shape.1] takes every field of the seed's example", () => {
    expect(Object.keys(whole).sort()).toEqual([...RESULT_FIELDS].sort());
    expect(readResult(whole)).toEqual({ ok: true, answer: whole });
  });

  it.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["only null fields", { user_input: null, messages: null, action: null }],
    ["only unknown fields", { user_inputs: "x", description: 1 }],
  ])("[jcli.protocol.5] takes %s as no change", (_, raw) => {
    expect(readResult(raw)).toEqual({ ok: true, answer: undefined });
  });

  it.each([
    [{ user_input: 5 }, "user_input must be text, not a number"],
    [{ assistant_output: ["x"] }, "assistant_output must be text, not a list"],
    [{ system_prompt: {} }, "system_prompt must be text, not an object"],
    [{ tool_result: true }, "tool_result must be text, not a boolean"],
    [{ additional_context: ["a"] }, "additional_context must be text, not a list"],
    [{ messages: "x" }, "messages must be a list, not a string"],
    [{ messages: [user, "x"] }, "messages[1] must be an object, not a string"],
    [{ messages: [{ content: "x" }] }, "messages[0].role must be text, not nothing"],
    [{ messages: [{ role: "" }] }, "messages[0].role must not be empty"],
    [{ messages: [{ role: "user", content: null }] }, "messages[0].content must be text, not null"],
    [{ inject_messages: [{ role: "user", content: [] }] }, "inject_messages[0].content must be text, not a list"],
    [{ messages: [{ role: "tool", tool_call_id: 5 }] }, "messages[0].tool_call_id must be text, not a number"],
    [{ messages: [{ role: "assistant", tool_calls: {} }] }, "messages[0].tool_calls must be a list, not an object"],
    [
      { messages: [{ role: "assistant", tool_calls: [{ id: "c", name: "n", arguments: "nope" }] }] },
      "messages[0].tool_calls[0] must have id, name and arguments, each as text, arguments as JSON",
    ],
    ["text", "it must be a JSON object, not a string"],
    [[], "it must be a JSON object, not a list"],
    [null, "it must be a JSON object, not null"],
  ])("refuses %j and says why", (raw, problem) => {
    expect(readResult(raw)).toEqual({ ok: false, problem });
  });

  it.each([
    ["STOP", "in lower case"],
    ["abort", "in lower case"],
    ["", "in lower case"],
    ["stop ", "in lower case"],
    [true, "not a boolean"],
    [1, "not a number"],
    [["stop"], "not a list"],
  ])("[jcli.action.1] refuses the action %j", (action, why) => {
    expect(readResult({ action })).toEqual({ ok: false, problem: `action must be "stop" or "skip", ${why}` });
  });

  it("applies nothing of an answer that is wrong in one field", () => {
    for (const field of RESULT_FIELDS) expect(readResult({ ...whole, [field]: 5 }).ok).toBe(false);
  });

  it("takes an old script's abort for stop, unless it has an action", () => {
    expect(readResult({ abort: true })).toEqual({ ok: true, answer: { action: "stop" } });
    expect(readResult({ abort: true, action: "skip" })).toEqual({ ok: true, answer: { action: "skip" } });
    expect(readResult({ abort: false })).toEqual({ ok: true, answer: undefined });
  });

  it("leaves of an answer with an action the four fields that survive it", () => {
    expect(readEnding(whole)).toEqual({
      ok: true,
      answer: { action: "stop", retry_feedback: "f", additional_context: "g", system_message: "h" },
    });
    expect(readEnding({ user_input: "a" })).toEqual({ ok: true, answer: { user_input: "a" } });
  });

  it("reads nothing where answers are ignored", () => {
    const told = readTold("post_send_message");
    expect(told(whole)).toEqual({ ok: true, answer: undefined });
    expect([readResult, readEnding, readCallResult, told].map((read) => read.name)).toEqual(Array(4).fill("strict"));
  });

  it("reads once what counts, what is for the person and what has no effect", () => {
    const row = remarked("pre_tool_execution", readCallResult);
    const read = (value: unknown) => row(new Printed(value));
    expect(read({ tool_arguments: "{}", system_message: "look", user_input: "a", acton: "stop" })).toEqual({
      ok: true,
      answer: { tool_arguments: "{}", system_message: "look", user_input: "a" },
      notice: "look",
      odd: [
        { field: "user_input", problem: "pre_tool_execution does not read it" },
        { field: "acton", problem: expect.stringContaining('"action"') },
      ],
    });
    expect(read({ system_message: " " })).toEqual({ ok: true, answer: { system_message: " " } });
    expect(read(undefined)).toEqual({ ok: true, answer: undefined });
    // Functions are checked by their types.
    expect(row({ tool_arguments: "{}", acton: "stop" })).toEqual({ ok: true, answer: { tool_arguments: "{}" } });
    expect(read({ tool_arguments: 1, system_message: "look" })).toMatchObject({ ok: false, rewrite: true });
    expect(readTold("post_send_message")(new Printed('{"action":"stop"}'))).toMatchObject({
      odd: [{ field: "an answer" }],
    });
    for (const said of ["", "done", "{}", "[]"])
      expect(readTold("session_end")(new Printed(said))).not.toHaveProperty("odd");
  });

  it("inherits no decision from a prototype", () => {
    expect(readResult(Object.create({ action: "stop" }))).toEqual({ ok: true, answer: undefined });
    expect(readPrinted('{"__proto__":{"action":"stop"}}')).toEqual({});
    expect(readResult(readPrinted('{"__proto__":{"action":"stop"}}'))).toEqual({ ok: true, answer: undefined });
  });

  it("says nothing of the answer's content", () => {
    for (const raw of [
      { user_input: { secret: 1 } },
      { action: "secret" },
      { messages: [{ role: "", content: "secret" }] },
    ])
      expect(JSON.stringify(readResult(raw))).not.toContain("secret");
  });
});

describe("reading what a command printed", () => {
  it.each(["", " \n", "\t\r\n"])("[jcli.protocol.5] takes %j for no answer", (printed) => {
    expect(readPrinted(printed)).toBeUndefined();
  });

  it.each([
    ["prose", "hello", "it is not one valid JSON value"],
    ["a log line before it", 'note\n{"user_input":"a"}', "it is not one valid JSON value"],
    ["two objects", "{} {}", "it is not one valid JSON value"],
    ["two byte order marks", "\uFEFF\uFEFF{}", "it is not one valid JSON value"],
    ["a known field twice", '{"action":"skip","action":null}', "action appears in it twice"],
  ])("refuses %s", (_, printed, problem) => {
    expect(() => readPrinted(printed)).toThrow(new HookFailure("bad", problem));
  });

  it("counts an answer over our limit of size as the engine's fault, and one that is nested too deep as its own", () => {
    expect(() => readPrinted(`"${"x".repeat(8 << 20)}"`)).toThrow(
      new HookFailure("engine", "it is longer than 8 MiB", "OUTPUT_LIMIT"),
    );
    expect(() => readPrinted('{"messages":'.repeat(300))).toThrow(
      new HookFailure("bad", "it is nested deeper than 256 levels"),
    );
  });

  it("tells of a field twice whether another call was wanted beside it", () => {
    const failing = (printed: string): unknown => {
      try {
        return readPrinted(printed);
      } catch (thrown) {
        return failureOf(thrown).rewrite;
      }
    };
    expect(failing('{"user_input":"a","user_input":"b","tool_arguments":"{}"}')).toBe(true);
    expect(failing('{"user_input":"a","user_input":"b","tool_arguments":null}')).toBeUndefined();
  });

  it("takes an unknown field twice as it comes", () => {
    expect(parseAnswer('{"note":1,"note":2,"user_input":"x"}')).toEqual({ note: 2, user_input: "x" });
  });

  it("classifies ten thousand outputs as the fields' types say, and never half-applies one", async () => {
    const value = fc.oneof(fc.string(), fc.constant(null), fc.jsonValue(), fc.constantFrom("stop", "skip", []));
    const output = fc.oneof(
      fc
        .dictionary(
          fc.oneof(fc.constantFrom(...RESULT_FIELDS, "abort", "__proto__", "constructor"), fc.string()),
          value,
        )
        .map((fields) => JSON.stringify(fields)),
      fc.jsonValue().map((one) => JSON.stringify(one)),
      fc.string(),
      fc.string().map((text) => `{"user_input": "${text}"}`),
    );
    const texts = RESULT_FIELDS.filter((field) => !["messages", "inject_messages", "action"].includes(field));
    fc.assert(
      fc.property(output, (printed) => {
        let raw: unknown;
        try {
          raw = readPrinted(printed);
        } catch (thrown) {
          expect((thrown as HookFailure).reason).toBe("bad");
          return;
        }
        const read = readResult(raw);
        if (!read.ok) return;
        for (const field of texts) {
          const given = (raw as Record<string, unknown> | undefined)?.[field];
          expect(read.answer?.[field]).toBe(typeof given === "string" ? given : undefined);
          expect(given === undefined || given === null || typeof given === "string").toBe(true);
        }
      }),
      { numRuns: 10_000 },
    );
    expect(({} as Record<string, unknown>)["action"]).toBeUndefined();
  });
});

describe("a bad answer", () => {
  it("is a failure of its hook, named without its content", async () => {
    const lane = new Lane().on("pre_send_message", () => ({ user_input: "x", action: "secret" }));
    const outcome = await lane.emit("prompt.before", { text: "t" });
    expect(outcome.answer).toEqual({});
    expect(codes(outcome.diagnostics)).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
    expect(outcome.diagnostics[0]?.message).toContain('action must be "stop" or "skip"');
    expect(JSON.stringify(outcome.diagnostics)).not.toContain("secret");
  });
});
