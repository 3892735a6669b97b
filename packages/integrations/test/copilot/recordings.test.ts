import { tmpdir } from "node:os";
import { createHookRuntime } from "@hookline/runtime/session";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Place } from "../../../bridge/test/support/place.ts";
import { events } from "../../src/copilot/host/events.ts";
import { inWords, type Words } from "../../src/copilot/host/words.ts";
import { table } from "../../src/copilot/losses.ts";
import { hooksOf } from "../hosts/host-hooks.ts";
import { named, type Obeyed, testIgnored, testObeyed } from "../hosts/obeyed.ts";
import { hasRecordings } from "../hosts/recordings.ts";

const RAN = /"hit\\n<shellId/;
const NEW = { command: "echo rewritten >> marker.txt; cat marker.txt", description: "x" };

/** Effects of our answers in Copilot CLI: each line is a recorded answer that we write character by character. */
const OBEYED: readonly Obeyed<Words>[] = [
  ["pre-deny-json", "preToolUse", { deny: "REASON-X" }, { model: /Denied by preToolUse hook: REASON-X/, not: RAN }],
  ["pre-ask", "preToolUse", { ask: "REASON-X" }, { model: /unable to ask user.*REASON-X/, not: RAN }],
  ["pre-modified-only", "preToolUse", { args: NEW }, { model: /rewritten\\n<shellId/, not: RAN }],
  ["pre-context", "preToolUse", { context: ["CTX-X"] }, { model: /CTX-X/ }],
  [
    "pre-two-json",
    "preToolUse",
    { deny: "REASON-X", notices: ["hi"] },
    { model: /Denied by preToolUse hook: REASON-X/, stdout: /● hi/ },
  ],
  ["post-modified", "postToolUse", { result: { text: "NEW-X", isError: false } }, { model: /"NEW-X"/, not: RAN }],
  ["post-context", "postToolUse", { context: ["CTX-X"] }, { model: /CTX-X/ }],
  ["prompt-block", "userPromptSubmitted", { block: "REASON-X" }, { requests: 0, exit: 1 }],
  ["prompt-modified", "userPromptSubmitted", { prompt: "NEW-X" }, { model: /NEW-X/, not: /Read it/ }],
  ["prompt-context", "userPromptSubmitted", { context: ["CTX-X"] }, { model: /CTX-X/ }],
  ["session-context", "sessionStart", { context: ["CTX-X"] }, { model: /"CTX-X"/ }],
  ["stop-block", "agentStop", { block: "GO-ON-X" }, { model: /GO-ON-X/, calls: 2 }],
];

/** Effects in Copilot CLI of what we never write or install. */
const IGNORED = [
  ["pre-badjson", { model: RAN }],
  ["pre-plain", { model: RAN }],
  ["pre-timeout", { model: RAN, not: /LATE-X/ }],
  ["pre-deny-noreason", { model: /No reason provided/ }],
  ["pre-exit2", { model: /hook exited with code 2/, not: /STDERR-X/ }],
  // A program that is missing refuses; so does exit code 1 in Claude Code's file.
  ["pre-missing", { model: /hook errored/, not: RAN }],
  ["claude-trusted-exit1", { model: /hook errored/, not: RAN }],
  ["prompt-exit2", { requests: 1, exit: 0 }],
  ["stop-exit2", { requests: 1 }],
  // It ends by itself after eight.
  ["stop-always", { calls: 9 }],
  // Three of eight matchers ran; `*` is not among them.
  ["matcher", { calls: 3, model: RAN }],
  // In a folder that nobody trusts no hook of the project runs.
  ["project", { calls: 0, model: RAN }],
  ["claude-settings", { calls: 0, model: RAN }],
] as const;

describe.skipIf(!hasRecordings)("what Copilot CLI was recorded to do", () => {
  testObeyed("copilot", OBEYED, (_, words) => inWords(words));
  testIgnored("copilot", IGNORED);

  it("carries every event that was recorded, but the prompt that it has put together itself", () => {
    const all = [...named("copilot").values()].flatMap(({ hookCalls = [] }) => hookCalls);
    const own = all.flatMap(({ event, stdin }) => (stdin["sessionId"] === undefined ? [] : [String(event)]));
    expect(own.length).toBeGreaterThan(30);
    expect([...new Set(own)].filter((event) => !events[event])).toEqual(["userPromptTransformed"]);
  });

  it("promises no more than what was recorded", () => {
    expect(table.cells["tool.after"]?.untold).toHaveProperty("isError");
    expect(JSON.stringify(named("copilot").get("post-failed-tool")?.hookCalls?.[0]?.stdin)).toContain(
      '"resultType":"success","textResultForLlm":"bad\\\\n<shellId: 0 completed with exit code 3>"'.replaceAll(
        "\\\\",
        "\\",
      ),
    );
    expect(table.cells["tool.before"]?.loses).not.toHaveProperty("args");
    expect(table.cells["prompt.before"]?.loses).not.toHaveProperty("text");
    expect(table.cells["tool.before"]?.untold).toHaveProperty("toolCallId");
  });
});

describe("our answers to Copilot CLI", () => {
  const text = fc.string();
  const words = fc.record<Words>(
    {
      deny: text,
      ask: text,
      block: text,
      forbid: text,
      args: fc.dictionary(fc.string(), fc.jsonValue()),
      prompt: text,
      context: fc.array(text),
      notices: fc.array(text),
    },
    { requiredKeys: [] },
  );

  it("never allow, ask only where a hook does, give a reason with every refusal, and end with 0 and at most one answer", () => {
    fc.assert(
      fc.property(words, (said) => {
        const { exit, stdout, stderr } = inWords(said);
        expect([exit, stderr]).toEqual([0, ""]);
        const lines = stdout === "" ? [] : stdout.split("\n").map((line) => JSON.parse(line));
        const answers = lines.filter(({ type }) => type !== "progress");
        expect(answers.length).toBeLessThan(2);
        const { permissionDecision, permissionDecisionReason, reason, modifiedArgs, behavior } = answers[0] ?? {};
        expect(permissionDecision).toBe(said.deny !== undefined ? "deny" : said.ask !== undefined ? "ask" : undefined);
        expect([undefined, "deny"]).toContain(behavior);
        if ((said.deny ?? said.ask) !== undefined) expect(permissionDecisionReason.trim()).not.toBe("");
        if (said.deny !== undefined) expect(modifiedArgs).toBeUndefined();
        if (said.block !== undefined) expect(reason.trim()).not.toBe("");
      }),
    );
  });
});

describe("in Copilot CLI", () => {
  async function asked() {
    const runtime = createHookRuntime({ dialects: [] });
    onTestFinished(() => runtime.close());
    const session = await runtime.open({ scene: { sessionId: "copilot", cwd: tmpdir() } });
    const hooks = hooksOf(session);
    const ask = async (event: string, payload: object): Promise<string | undefined> => {
      const read = events[event]?.read({ sessionId: "s", ...payload }, {});
      return read === undefined ? undefined : (await events[event]?.ask(read, hooks))?.stdout;
    };
    return { session, ask };
  }

  it("a question is the person's, unless the call was rewritten", async () => {
    const { session, ask } = await asked();
    let rewrites = false;
    session.on("tool.before", ({ args }) => ({
      decision: "ask",
      reason: "sure?",
      ...(rewrites && { args: { ...args, command: "ls" } }),
    }));
    const call = { toolName: "bash", toolArgs: { command: "rm" } };
    const said = async (payload: object) => JSON.parse((await ask("preToolUse", payload)) ?? "");
    expect(await said(call)).toEqual({ permissionDecision: "ask", permissionDecisionReason: "sure?" });
    rewrites = true;
    expect(await said(call)).toMatchObject({ permissionDecision: "deny" });
  });

  it("a call has the same id before and after, also when hooks rewrite it", async () => {
    const { session, ask } = await asked();
    const ids: string[] = [];
    session.on("tool.before", ({ args, toolCallId }) => {
      ids.push(toolCallId);
      return { args: { ...args, command: "ls" } };
    });
    session.on("tool.after", ({ toolCallId }) => void ids.push(toolCallId));
    const { modifiedArgs } = JSON.parse(
      (await ask("preToolUse", { toolName: "bash", toolArgs: { command: "rm" } })) ?? "",
    );
    await ask("postToolUse", {
      toolName: "bash",
      toolArgs: modifiedArgs,
      toolResult: { resultType: "success", textResultForLlm: "x" },
    });
    expect(ids[0]).not.toBe("");
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  it("an edit has hookline's names for hooks and its own again afterwards", async () => {
    const { session, ask } = await asked();
    const seen: unknown[] = [];
    session.on("tool.before", ({ tool, args }) => {
      seen.push({ tool, args });
      return { args: { ...args, path: "b.ts" } };
    });
    // Older versions give the arguments as a text.
    const toolArgs = JSON.stringify({ path: "a.ts", old_str: "x", new_str: "y" });
    const said = JSON.parse((await ask("preToolUse", { toolName: "edit", toolArgs })) ?? "");
    expect(seen).toEqual([{ tool: "edit", args: { path: "a.ts", edits: [{ oldText: "x", newText: "y" }] } }]);
    expect(said).toEqual({ modifiedArgs: { path: "b.ts", old_str: "x", new_str: "y" } });
  });

  it("the last reply is read from its own log, and is empty where there is none", async () => {
    using place = new Place();
    const { session, ask } = await asked();
    const replies: string[] = [];
    session.on("agent.stop", ({ reply }) => void replies.push(reply));
    const line = (content: string) => `${JSON.stringify({ type: "assistant.message", data: { content } })}\n`;
    const log = place.write("events.jsonl", `${line("first")}${line("last")}${line("")}{"type":"turn.end"}\n{"half`);
    for (const transcriptPath of [log, place.at("none"), undefined]) await ask("agentStop", { transcriptPath });
    expect(replies).toEqual(["last", "", ""]);
  });

  it("the last reply belongs to the last prompt, even if its log is written after the question", async () => {
    using place = new Place();
    const { session, ask } = await asked();
    const replies: string[] = [];
    session.on("agent.stop", ({ reply }) => void replies.push(reply));
    const asks = 1_795_838_885_191;
    const line = (type: string, at: number, content: string) =>
      `${JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { content } })}\n`;
    const before = line("assistant.message", asks - 9, "half done") + line("user.message", asks - 6, "GO ON");
    const transcriptPath = place.write("events.jsonl", before);
    const stop = ask("agentStop", { transcriptPath, timestamp: asks });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(replies).toEqual([]);
    const more = line("assistant.message", asks - 3, "ALL DONE") + line("hook.start", asks, "");
    place.write("events.jsonl", before + more);
    await stop;
    expect(replies).toEqual(["ALL DONE"]);
    place.write("events.jsonl", before);
    await ask("agentStop", { transcriptPath, timestamp: asks + 1 });
    expect(replies).toEqual(["ALL DONE", ""]);
  });

  it("the text of a stop hook passes as a prompt that no hook judges and that resets no count", async () => {
    const { session, ask } = await asked();
    const prompts: string[] = [];
    session.on("prompt.before", ({ text }) => void prompts.push(text));
    session.on("agent.stop", () => ({ feedback: "GO ON" }));
    await ask("userPromptSubmitted", { prompt: "Do it" });
    for (let round = 0; round < 5; round++) {
      expect(await ask("agentStop", {})).toContain("GO ON");
      expect(await ask("userPromptSubmitted", { prompt: "GO ON" })).toBe("");
    }
    expect(await ask("agentStop", {})).toBe("");
    // A person may say the same.
    await ask("userPromptSubmitted", { prompt: "GO ON" });
    expect(prompts).toEqual(["Do it", "GO ON"]);
  });

  it("a rewritten result keeps what it was, an error or none, and an end takes its place", async () => {
    const { session, ask } = await asked();
    const told = (textResultForLlm: string, resultType: string) =>
      ask("postToolUse", { toolName: "bash", toolArgs: {}, toolResult: { resultType, textResultForLlm } });
    session.on("tool.after", ({ content }) =>
      JSON.stringify(content).includes("END")
        ? { halt: { reason: "over" } }
        : { content: [{ type: "text", text: "new" }] },
    );
    expect(await told("a", "failure")).toBe('{"modifiedResult":{"resultType":"failure","textResultForLlm":"new"}}');
    expect(await told("a", "success")).toBe('{"modifiedResult":{"resultType":"success","textResultForLlm":"new"}}');
    expect(await told("END", "success")).toContain("over");
    expect(await ask("preToolUse", { toolName: "view", toolArgs: { path: "x" } })).toContain("over");
    expect(await ask("postToolUseFailure", { toolName: "view", toolArgs: {}, error: { message: "gone" } })).toContain(
      "new",
    );
  });

  it("sub-agents get context and are made to continue, five times each, and approvals are only refused", async () => {
    const { session, ask } = await asked();
    session.on("agent.done", () => ({ feedback: "MORE" }));
    const done = [];
    for (let round = 0; round < 6; round++) done.push(await ask("subagentStop", { agentName: "explore" }));
    expect(done.map((said) => said !== "")).toEqual([true, true, true, true, true, false]);
    session.on("approval.requested", ({ tool }) => ({ decision: tool === "bash" ? "deny" : "allow" }));
    const want = (toolName: string) => ask("permissionRequest", { toolName, toolInput: {} });
    expect(await want("bash")).toBe('{"behavior":"deny","message":"A hook refused this call."}');
    expect(await want("view")).toBe("");
  });
});
