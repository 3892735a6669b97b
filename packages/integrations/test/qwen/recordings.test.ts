import { tmpdir } from "node:os";
import { createHookRuntime } from "@hookline/runtime/session";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ClaudeWords, inClaudeWords } from "../../../bridge/src/moment/claude-words.ts";
import { events } from "../../src/qwen/host/events.ts";
import { host } from "../../src/qwen/host/index.ts";
import { table } from "../../src/qwen/losses.ts";
import { hooksOf } from "../hosts/host-hooks.ts";
import { named, type Obeyed, testIgnored, testObeyed } from "../hosts/obeyed.ts";
import { hasRecordings } from "../hosts/recordings.ts";

const RAN = /Output: hit/;

/** Effects of our answers in Qwen Code: each line is a recorded answer that we write character by character. */
const OBEYED: readonly Obeyed<ClaudeWords>[] = [
  ["pre-deny-json", "PreToolUse", { deny: "REASON-X" }, { model: /"REASON-X"/, not: RAN }],
  ["post-continue-false", "PostToolUse", { stop: "STOP-X" }, { model: /"STOP-X"/, not: RAN, requests: 2, exit: 0 }],
  ["prompt-continue-false", "UserPromptSubmit", { stop: "STOP-X" }, { requests: 0 }],
  ["session-context", "SessionStart", { context: ["CTX-X"] }, {}],
  ["stop-block", "Stop", { block: "GO-ON-X" }, { model: /GO-ON-X/, calls: 2 }],
  ["pre-ask", "PreToolUse", { ask: "REASON-X" }, { model: /REASON-X/, not: RAN }],
  ["pre-systemMessage", "PreToolUse", { notices: ["SYS-X"] }, { model: RAN, not: /SYS-X/ }],
];

/** Effects in Qwen Code of answers that we never write: the call runs, or its result stays unchanged. */
const IGNORED = [
  ["pre-updated", { model: RAN, not: /Output: rewritten/ }],
  ["pre-two-edits", { model: RAN, not: /Output: [AB]/ }],
  ["pre-context", { model: RAN, not: /CTX-X/ }],
  ["pre-exit2-noerr", { model: RAN }],
  ["pre-badjson", { model: RAN }],
  ["post-block", { model: RAN, not: /REASON-X/ }],
  ["post-exit2", { model: RAN, not: /STDERR-X/ }],
  // The limit of a hook is in ms: one of 1000 ended a hook that took 5 s, and the call ran.
  ["pre-timeout", { model: /Exit Code: 0/, not: /LATE-X/ }],
  // The eighth in a row is overridden.
  ["stop-always", { calls: 8 }],
] as const;

describe.skipIf(!hasRecordings)("what Qwen Code was recorded to do", () => {
  testObeyed("qwen", OBEYED, inClaudeWords);
  testIgnored("qwen", IGNORED);

  it("carries every event that was recorded, but those of which its table says so", () => {
    const all = [...named("qwen").values()].flatMap(({ hookCalls = [] }) => hookCalls);
    const left = new Set(all.map(({ stdin }) => String(stdin["hook_event_name"])).filter((name) => !events[name]));
    expect([...left].sort()).toEqual(["Notification", "PostToolBatch"]);
    expect(table.absent).toHaveProperty("notify");
    expect(table.absent).toHaveProperty(["turn.*"]);
  });

  it("promises no more than what was recorded", () => {
    const { cells } = table;
    expect(cells["tool.before"]?.loses).toMatchObject({ args: expect.stringContaining("cannot change a call") });
    expect(cells["tool.before"]?.loses).toHaveProperty("additionalContext");
    expect(cells["tool.after"]?.loses?.["content"]).toContain("as an error");
    expect(cells["agent.stop"]?.loses?.["feedback"]).toContain("at most 7");
    expect(cells["prompt.before"]?.loses).toHaveProperty("text");
    expect(cells["session.end"]?.untold?.["reason"]).toContain("print mode");
    const ends = [...named("qwen").values()].flatMap(({ hookCalls = [] }) => hookCalls);
    expect(ends.filter(({ stdin }) => stdin["hook_event_name"] === "SessionEnd")).toEqual([]);
  });
});

describe("in Qwen Code", () => {
  const base = { session_id: "s" };
  const call = (command: string, id: string) => ({
    ...base,
    hook_event_name: "PreToolUse",
    tool_name: "run_shell_command",
    tool_input: { command },
    tool_use_id: id,
  });

  async function asked() {
    const runtime = createHookRuntime({ dialects: [] });
    onTestFinished(() => runtime.close());
    const session = await runtime.open({ scene: { sessionId: "qwen", cwd: tmpdir() } });
    const hooks = hooksOf(session);
    const ask = async (event: string, payload: object): Promise<string | undefined> => {
      const read = events[event]?.read(payload, {});
      return read === undefined ? undefined : (await events[event]?.ask(read, hooks))?.stdout;
    };
    return { session, ask };
  }

  it("a question is the person's", async () => {
    const { session, ask } = await asked();
    session.on("tool.before", () => ({ decision: "ask", reason: "sure?" }));
    const { hookSpecificOutput: said } = JSON.parse((await ask("PreToolUse", call("ls", "1"))) ?? "");
    expect(said).toMatchObject({ permissionDecision: "ask", permissionDecisionReason: "sure?" });
  });

  it("a rewritten call is refused with the new arguments, and runs when the model makes it so", async () => {
    const { session, ask } = await asked();
    // It is never content.
    session.on("tool.before", ({ args }) => ({ args: { ...args, command: `nice ${args["command"]}` } }));
    const { hookSpecificOutput: said } = JSON.parse((await ask("PreToolUse", call("ls", "1"))) ?? "");
    expect(said.permissionDecision).toBe("deny");
    expect(said).not.toHaveProperty("updatedInput");
    expect(said.permissionDecisionReason).toContain(
      'run_shell_command again with exactly these arguments: {"command":"nice ls"}',
    );
    expect(await ask("PreToolUse", call("nice ls", "2"))).toBe("");
    // Once: the same call is judged anew later.
    expect(await ask("PreToolUse", call("nice ls", "3"))).toContain("nice nice ls");
  });

  it("the empty prompt after a round of tools is not a prompt, nor is the text of a stop hook", async () => {
    const { session, ask } = await asked();
    const prompts: string[] = [];
    session.on("prompt.before", ({ text }) => void prompts.push(text));
    session.on("agent.stop", () => ({ feedback: "GO ON" }));
    const prompt = (text: string, more = {}) =>
      ask("UserPromptSubmit", { ...base, hook_event_name: "UserPromptSubmit", prompt: text, ...more });
    await prompt("Do it", { submitted_prompt: "Do it" });
    expect(await prompt("")).toBeUndefined();
    const stop = () => ask("Stop", { ...base, hook_event_name: "Stop", last_assistant_message: "done" });
    for (let round = 0; round < 5; round++) {
      expect(await stop()).toContain("GO ON");
      // The feedback that makes the agent continue also arrives as a prompt.
      expect(await prompt("GO ON")).toBe("");
    }
    expect(await stop()).toBe("");
    expect(prompts).toEqual(["Do it"]);
  });

  it("context of a call arrives with its result, and beside a rewritten result in its text", async () => {
    const { session, ask } = await asked();
    session.on("tool.before", () => ({ additionalContext: "BEFORE" }));
    session.on("tool.after", ({ tool, content }) => ({
      additionalContext: "AFTER",
      ...(tool === "bash" && {
        content: [{ type: "text", text: JSON.stringify(content).replaceAll("TOKEN", "[gone]") }],
      }),
    }));
    expect(await ask("PreToolUse", call("cat x", "1"))).toBe("");
    const response = { llmContent: [{ text: "a TOKEN" }, { inlineData: { data: "AAAA" } }] };
    const after = await ask("PostToolUse", { ...call("cat x", "1"), tool_response: response });
    const { stopReason, ...rest } = JSON.parse(after ?? "");
    expect(rest).toEqual({ continue: false });
    expect(stopReason).toContain("[gone]");
    expect(stopReason).toMatch(/BEFORE\n\nAFTER$/);
  });

  it("a failed call's result stays, and the person is told", async () => {
    const { session, ask } = await asked();
    session.on("tool.after", () => ({ content: [{ type: "text", text: "gone" }] }));
    const said = await ask("PostToolUseFailure", { ...call("cat x", "1"), error: "TOKEN" });
    expect(JSON.parse(said ?? "")).toEqual({ systemMessage: expect.stringContaining("bridge report qwen") });
  });

  it("instructions for a summary arrive, and sub-agents are started, told and sent on", async () => {
    const { session, ask } = await asked();
    session.on("compact.before", () => ({ instructions: ["keep names"] }));
    session.on("agent.spawn", ({ prompt }) => (prompt === "bad" ? { cancel: true, reason: "no agents" } : {}));
    session.on("agent.spawned", () => ({ additionalContext: "BE KIND" }));
    session.on("agent.done", () => ({ feedback: "MORE" }));
    expect(await ask("PreCompact", { ...base, trigger: "auto", custom_instructions: "" })).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"keep names"}}',
    );
    const spawn = { ...base, tool_name: "agent", tool_input: { prompt: "bad" }, tool_use_id: "a" };
    expect(await ask("PreToolUse", spawn)).toContain("no agents");
    expect(await ask("SubagentStart", { ...base, agent_id: "x" })).toContain("BE KIND");
    const done = [];
    for (let round = 0; round < 6; round++) done.push(await ask("SubagentStop", { ...base, agent_id: "x" }));
    expect(done.map((said) => said !== "")).toEqual([true, true, true, true, true, false]);
  });

  it("is given its limits in ms, and answers two seconds earlier", async () => {
    expect((await host.adapter()).unit).toBe("ms");
    for (const { timeoutMs } of Object.values(events)) expect(timeoutMs).toBeGreaterThanOrEqual(5000);
  });
});
