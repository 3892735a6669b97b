import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { events } from "../../src/codex/host/events.ts";
import { inWords, type Words } from "../../src/codex/host/words.ts";
import { hasRecordings, type Recording, recordingsOf } from "../hosts/recordings.ts";

/** The result of a recorded run. */
interface Showed {
  /** Whether the recorded call ran and wrote its file; it did not if it was refused. */
  readonly ran?: boolean;
  /** Texts that the model was sent, and texts that it was not. */
  readonly model?: readonly string[];
  readonly notModel?: readonly string[];
  readonly requests?: number;
}

/** Effects of our answers in Codex: each line is a recorded answer that we write character by character. */
const OBEYED: readonly (readonly [recording: string, event: string, words: Words, showed: Showed])[] = [
  ["pre-deny-json", "PreToolUse", { deny: "REASON-X" }, { ran: false, model: ["REASON-X"] }],
  ["pre-context", "PreToolUse", { context: ["CTX-X"] }, { ran: true, model: ["CTX-X"] }],
  [
    "pre-updated",
    "PreToolUse",
    { input: { command: "echo rewritten >> marker.txt; cat marker.txt" } },
    { ran: false, model: ["rewritten"] },
  ],
  ["post-block", "PostToolUse", { block: "REASON-X" }, { model: ["REASON-X"], notModel: ["a small file"] }],
  ["prompt-context", "UserPromptSubmit", { context: ["CTX-X"] }, { model: ["CTX-X"] }],
  ["session-context", "SessionStart", { context: ["CTX-X"] }, { model: ["CTX-X"] }],
  ["session-continue-false", "SessionStart", { stop: "STOP-X" }, { requests: 0 }],
  ["stop-block-always", "Stop", { block: "GO-ON-X" }, { model: ["GO-ON-X"] }],
  ["pre-systemMessage", "PreToolUse", { notices: ["SYS-X"] }, { ran: true, notModel: ["SYS-X"] }],
];

/** Effects in Codex of answers that we never write: the call runs, or the result stays unchanged. */
const IGNORED: readonly (readonly [recording: string, showed: Showed])[] = [
  ["pre-deny-noreason", { ran: true }],
  ["pre-ask", { ran: true }],
  ["pre-allow", { ran: true }],
  ["pre-updated-noallow", { ran: true }],
  ["pre-extra-field", { ran: true }],
  ["pre-continue-false", { ran: true }],
  ["pre-exit1", { ran: true }],
  ["pre-exit2-noerr", { ran: true }],
  ["pre-badjson", { ran: true }],
  ["pre-missing", { ran: true }],
  ["post-updatedToolOutput", { model: ["a small file"] }],
  ["stop-block-noreason", { requests: 1 }],
];

describe.skipIf(!hasRecordings)("what Codex was recorded to do", () => {
  const all = new Map((hasRecordings ? recordingsOf("codex") : []).map((one) => [one.name, one]));
  const named = (name: string): Recording => all.get(name) as Recording;

  it.each(OBEYED)("%s: our words on %s are those that it obeyed", (name, event, words, showed) => {
    const recording = named(name);
    const [answer] = Object.values(recording.hookAnswers ?? {});
    expect(JSON.parse(inWords(event, words).stdout)).toEqual(answer?.stdout);
    check(recording, showed);
  });

  it.each(IGNORED)("%s: what it did not obey", (name, showed) => check(named(name), showed));

  it("asks every event that was recorded, and reads every payload of it", () => {
    const calls = [...all.values()].flatMap(({ hookCalls = [] }) => hookCalls);
    const whole = calls.filter(({ stdin }) => typeof stdin["session_id"] === "string");
    expect(whole.length).toBeGreaterThan(30);
    for (const { stdin } of whole)
      expect(events[String(stdin["hook_event_name"])]?.read(stdin, {})).toMatchObject({
        session: stdin["session_id"],
        ...(stdin["tool_use_id"] !== undefined && { call: stdin["tool_use_id"] }),
      });
  });
});

describe("our answers to Codex", () => {
  const text = fc.string();
  const words = fc.record<Words>(
    {
      stop: text,
      block: text,
      deny: text,
      forbid: text,
      input: fc.dictionary(fc.string(), fc.jsonValue()),
      context: fc.array(text),
      notices: fc.array(text),
    },
    { requiredKeys: [] },
  );

  it("give a reason with every refusal, `allow` only with new arguments, never `ask`, and one object or nothing", () => {
    fc.assert(
      fc.property(words, fc.constantFrom(...Object.keys(events)), (said, event) => {
        const { exit, stdout, stderr } = inWords(event, said);
        expect([exit, stderr]).toEqual([0, ""]);
        if (stdout === "") return;
        const { hookSpecificOutput = {}, ...rest } = JSON.parse(stdout);
        expect(["continue", "stopReason", "decision", "reason", "systemMessage"]).toEqual(
          expect.arrayContaining(Object.keys(rest)),
        );
        if (rest.decision !== undefined) expect(rest.reason.trim()).not.toBe("");
        const { permissionDecision: decision, permissionDecisionReason: reason, updatedInput } = hookSpecificOutput;
        if (decision === "deny") expect(reason.trim()).not.toBe("");
        if (said.deny !== undefined) expect(decision).toBe("deny");
        expect(decision === "allow").toBe(updatedInput !== undefined);
        expect([undefined, "deny", "allow"]).toContain(decision);
      }),
    );
  });

  it("refuse by themselves wherever they guard, and say nothing elsewhere", () => {
    for (const [name, { guard, refusal }] of Object.entries(events)) {
      const { stdout } = refusal("");
      expect([name, stdout !== ""]).toEqual([name, guard]);
      if (guard) expect(stdout).toMatch(/"(reason|permissionDecisionReason)":"[^"]+"/);
    }
  });
});

function check(
  { modelRequests = [], ...recording }: Recording,
  { ran, model = [], notModel = [], requests }: Showed,
): void {
  const sent = JSON.stringify(modelRequests);
  const outputs = modelRequests.flatMap(({ lastItems = [] }) =>
    lastItems.flatMap((item) => {
      const { type, output } = item as { type?: string; output?: unknown };
      return type === "function_call_output" ? [JSON.stringify(output)] : [];
    }),
  );
  if (ran !== undefined)
    expect([recording.name, outputs.some((output) => output.includes("Output:\\nhit"))]).toEqual([recording.name, ran]);
  for (const text of model) expect(sent).toContain(text);
  for (const text of notModel) expect(sent).not.toContain(text);
  if (requests !== undefined) expect(modelRequests).toHaveLength(requests);
}
