import { tmpdir } from "node:os";
import { createHookRuntime } from "@hookline/runtime/session";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { events } from "../../src/cursor/host/events.ts";
import { inWords, type Words } from "../../src/cursor/host/words.ts";
import { hooksOf } from "../hosts/host-hooks.ts";

/** Fields of every payload, according to Cursor's documentation. */
const BASE = { conversation_id: "c", generation_id: "g", model: "m", cursor_version: "2.0", workspace_roots: ["/p"] };
const CALL = { tool_name: "Shell", tool_input: { command: "rm x", working_directory: "/p" }, tool_use_id: "t1" };

async function asked() {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "cursor", cwd: tmpdir() } });
  const hooks = hooksOf(session);
  const ask = async (event: string, payload: object): Promise<Record<string, unknown> | undefined> => {
    const read = events[event]?.read({ ...BASE, hook_event_name: event, ...payload }, {});
    const said = read === undefined ? undefined : await events[event]?.ask(read, hooks);
    expect(said).toMatchObject({ exit: 0, stderr: "" });
    return said?.stdout === "" ? undefined : JSON.parse(said?.stdout ?? "");
  };
  return { session, ask };
}

/** The events at which Cursor waits for a yes. */
const WAITS = ["beforeSubmitPrompt", "preToolUse", "subagentStart"];

describe("our answers to Cursor are those that its documentation gives", () => {
  it("always say yes or no where it waits, with a reason for every no", () => {
    const words = fc.record<Words>(
      { deny: fc.string(), input: fc.dictionary(fc.string(), fc.jsonValue()), context: fc.array(fc.string()) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(words, fc.constantFrom(...Object.keys(events)), (said, event) => {
        const { exit, stdout, stderr } = inWords(event, said);
        expect([exit, stderr]).toEqual([0, ""]);
        if (!WAITS.includes(event)) return;
        const answer = JSON.parse(stdout);
        expect(answer.permission ?? answer.continue).toBe(
          "permission" in answer ? (said.deny === undefined ? "allow" : "deny") : said.deny === undefined,
        );
        if (said.deny !== undefined) expect(answer.user_message.trim()).not.toBe("");
        if (said.deny !== undefined) expect(answer).not.toHaveProperty("updated_input");
      }),
    );
    expect(Object.entries(events).flatMap(([name, { guard }]) => (guard ? [name] : []))).toEqual(WAITS);
  });

  it("a call that no hook answers is allowed, a refused one is refused, and a rewritten one is rewritten", async () => {
    const { session, ask } = await asked();
    expect(await ask("preToolUse", CALL)).toEqual({ permission: "allow" });
    session.on("tool.before", ({ tool, args }) => {
      if (args["command"] === "ask") return { decision: "ask", reason: "sure?" };
      return tool === "bash" ? { args: { ...args, command: "ls" } } : { decision: "deny", reason: "no" };
    });
    expect(await ask("preToolUse", CALL)).toEqual({
      permission: "allow",
      updated_input: { command: "ls", working_directory: "/p" },
    });
    const no = { permission: "deny", user_message: "no", agent_message: "no" };
    expect(await ask("preToolUse", { ...CALL, tool_name: "Write" })).toEqual(no);
    expect(await ask("preToolUse", { ...CALL, tool_input: { command: "ask" } })).toMatchObject({
      permission: "deny",
      agent_message: expect.stringContaining("sure?"),
    });
  });

  it("context waits for the next result, of which only an MCP tool's is changed", async () => {
    const { session, ask } = await asked();
    session.on("prompt.before", () => ({ additionalContext: "PROMPT" }));
    session.on("tool.before", () => ({ additionalContext: "CALL" }));
    session.on("tool.after", ({ content }) => ({
      additionalContext: "RESULT",
      content: content.map((block) =>
        block.type === "text" ? { ...block, text: block.text.replaceAll("TOKEN", "[gone]") } : block,
      ),
    }));
    expect(await ask("beforeSubmitPrompt", { prompt: "x" })).toEqual({ continue: true });
    expect(await ask("preToolUse", CALL)).toEqual({ permission: "allow" });
    const tool_output = JSON.stringify({ content: [{ type: "text", text: "a TOKEN" }] });
    expect(await ask("postToolUse", { ...CALL, tool_output })).toEqual({
      additional_context: "PROMPT\n\nCALL\n\nRESULT",
    });
    expect(await ask("postToolUse", { ...CALL, tool_name: "MCP:read", tool_output, duration: 3 })).toEqual({
      updated_mcp_tool_output: { content: [{ type: "text", text: "a [gone]" }] },
      additional_context: "RESULT",
    });
    expect(await ask("postToolUseFailure", { ...CALL, error_message: "TOKEN" })).toBeUndefined();
  });

  it("a prompt and a sub-agent are refused, and those that stop are sent on, but for what a person has stopped", async () => {
    const { session, ask } = await asked();
    const replies: unknown[] = [];
    session.on("prompt.before", () => ({ stop: true, reason: "not now" }));
    session.on("agent.spawn", ({ prompt, type, model }) => ({ cancel: prompt === "bad", reason: `${type} ${model}` }));
    session.on("agent.done", () => ({ feedback: "MORE" }));
    session.on("agent.stop", ({ reply }) => {
      replies.push(reply);
      return { feedback: "GO ON" };
    });
    expect(await ask("beforeSubmitPrompt", { prompt: "x" })).toEqual({ continue: false, user_message: "not now" });
    const spawn = { task: "bad", subagent_type: "explore", subagent_model: "small" };
    expect(await ask("subagentStart", spawn)).toEqual({ permission: "deny", user_message: "explore small" });
    expect(await ask("subagentStart", { ...spawn, task: "good" })).toEqual({ permission: "allow" });
    expect(await ask("subagentStop", { ...spawn, summary: "done" })).toEqual({ followup_message: "MORE" });
    await ask("afterAgentResponse", { text: "the reply" });
    expect(await ask("stop", { status: "completed", loop_count: 0 })).toEqual({ followup_message: "GO ON" });
    expect(await ask("stop", { status: "aborted", loop_count: 0 })).toBeUndefined();
    expect(replies).toEqual(["the reply"]);
  });
});
