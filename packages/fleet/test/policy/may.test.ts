import { catalog } from "@hookline/runtime/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAY, type May } from "../../src/policy/manifest.ts";
import { limited } from "../../src/policy/may.ts";

const may = (...words: May[]): ReadonlySet<May> => new Set(words);
const USUAL = may("deny", "ask");

describe("what an answer may do", () => {
  test.each([
    ["tool.before", { decision: "deny", reason: "no" }, { decision: "deny", reason: "no" }, []],
    ["tool.before", { decision: "ask" }, { decision: "ask" }, []],
    ["tool.before", { decision: "allow" }, {}, []],
    [
      "tool.before",
      { decision: "deny", args: {}, additionalContext: "x", halt: { reason: "" } },
      { decision: "deny" },
      ["args", "additionalContext", "halt"],
    ],
    ["tool.after", { content: [] }, {}, ["content"]],
    ["agent.spawn", { cancel: true, reason: "no" }, { cancel: true, reason: "no" }, []],
    ["shell.user", { cancel: "no" }, { cancel: "no" }, []],
    ["shell.user", { result: {} }, {}, ["result"]],
    ["prompt.before", { stop: true, reason: "no" }, { stop: true, reason: "no" }, []],
    ["prompt.before", { text: "other" }, {}, ["text"]],
  ])("%s: of %j counts %j", (event, answer, kept, dropped) => {
    expect(limited(event, answer, USUAL)).toEqual({ answer: kept, dropped });
  });

  test("is what the manifest lists, and nothing else", () => {
    const answer = { decision: "ask", reason: "?", args: { a: 1 }, additionalContext: "x", halt: { reason: "" } };
    expect(limited("tool.before", answer, may("edit")).answer).toEqual({ args: { a: 1 } });
    expect(limited("tool.before", answer, may("context")).answer).toEqual({ additionalContext: "x" });
    expect(limited("tool.before", answer, may("stop")).answer).toEqual({ halt: { reason: "" } });
    expect(limited("tool.before", answer, may("ask")).answer).toEqual({ decision: "ask", reason: "?" });
    expect(limited("tool.before", { decision: "deny", reason: "!" }, may("ask")).answer).toEqual({});
    expect(limited("tool.before", answer, may()).answer).toEqual({});
  });

  test("with everything listed all of an answer counts, but that it allows", () => {
    const fields = fc.dictionary(
      fc.constantFrom("decision", "reason", "args", "halt", "remark", "rest", "x"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...catalog.keys()), fields, (event, answer) => {
        const { answer: kept, dropped } = limited(event, answer, new Set(MAY));
        expect(dropped).toEqual([]);
        if (answer["decision"] !== "allow") expect(kept).toEqual(answer);
      }),
    );
  });
});
