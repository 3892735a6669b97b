import { describe, expect, it } from "vitest";
import { inWords, type Words } from "../../src/gemini/host/words.ts";
import { hasRecordings, type Recording, recordingsOf } from "../hosts/recordings.ts";

/** Effects of our answers in Gemini CLI: each line is a recorded answer that we write character by character. */
const OBEYED: readonly (readonly [recording: string, event: string, words: Words, model: RegExp, not: RegExp])[] = [
  ["pre-deny-two", "BeforeTool", { deny: "REASON-B" }, /REASON-B/, /Output: hit/],
  [
    "pre-updated",
    "BeforeTool",
    { input: { command: "echo rewritten >> marker.txt; cat marker.txt" } },
    /Output: rewritten/,
    /Output: hit/,
  ],
  ["post-deny", "AfterTool", { deny: "REASON-X" }, /"error":"REASON-X"/, /Output: hit/],
  ["post-context", "AfterTool", { context: ["CTX-X"] }, /<hook_context>CTX-X/, /never said/],
  ["prompt-context", "BeforeAgent", { context: ["CTX-X"] }, /<hook_context>CTX-X/, /never said/],
  ["stop-deny", "AfterAgent", { deny: "GO-ON-X" }, /GO-ON-X/, /never said/],
  [
    "model-rewrite",
    "BeforeModel",
    { request: { model: "gemini-2.5-flash", messages: [{ role: "user", content: "REWRITTEN-X" }] } },
    /REWRITTEN-X/,
    /Read it/,
  ],
  ["tools-none", "BeforeToolSelection", { noTools: true }, /"mode":"NONE"/, /never said/],
  [
    "after-rewrite",
    "AfterModel",
    { response: { candidates: [{ content: { role: "model", parts: ["MASKED-X"] }, finishReason: "STOP" }] } },
    /Read it/,
    /SECRET-X/,
  ],
];

/** Recorded answers that we never write, after which Gemini CLI runs the call. */
const IGNORED = ["pre-claude-deny", "pre-exit1", "pre-exit2-noerr", "pre-badjson"];

describe.skipIf(!hasRecordings)("what Gemini CLI was recorded to do", () => {
  const all = new Map((hasRecordings ? recordingsOf("gemini") : []).map((one) => [one.name, one]));
  const sent = (name: string): string => JSON.stringify((all.get(name) as Recording).modelRequests);

  it.each(OBEYED)("%s: our words on %s are those that it obeyed", (name, event, words, model, not) => {
    const answers = Object.values(all.get(name)?.hookAnswers ?? {}).map(({ stdout }) => stdout);
    expect(answers).toContainEqual(JSON.parse(inWords(event, words).stdout));
    expect(sent(name)).toMatch(model);
    expect(sent(name)).not.toMatch(not);
  });

  it.each(IGNORED)("%s: what it did not obey", (name) => expect(sent(name)).toMatch(/Output: hit/));

  it("refuses with a reason, and never asks", () => {
    expect(JSON.parse(inWords("BeforeTool", { deny: " ", input: { command: "x" } }).stdout)).toEqual({
      decision: "deny",
      reason: "A hook refused this.",
    });
  });
});
