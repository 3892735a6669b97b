import { tmpdir } from "node:os";
import { textOf } from "@hookline/runtime";
import { createHookRuntime } from "@hookline/runtime/session";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { events } from "../../src/claude/host/events.ts";
import { guest, SIGNS } from "../../src/claude/host/guests.ts";
import { HOSTS } from "../../src/hosts.ts";
import { hooksOf } from "../hosts/host-hooks.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "rm x", description: "d" }, tool_use_id: "t1" };

async function asked() {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "claude", cwd: tmpdir() } });
  const hooks = hooksOf(session);
  const ask = async (event: string, payload: object): Promise<Record<string, unknown> | undefined> => {
    const read = events[event]?.read({ session_id: "s", hook_event_name: event, ...payload }, {});
    const said = read === undefined ? undefined : await events[event]?.ask(read, hooks);
    expect(said).toMatchObject({ exit: 0, stderr: "" });
    return said?.stdout === "" ? undefined : JSON.parse(said?.stdout ?? "");
  };
  return { session, ask };
}

describe("our answers to Claude Code are those that its documentation gives", () => {
  it("a refusal and an end of the run (cases 029 and 059)", async () => {
    const { session, ask } = await asked();
    session.on("tool.before", ({ args }) =>
      args["command"] === "end" ? { halt: { reason: "over" } } : { decision: "deny", reason: "no rm" },
    );
    expect(await ask("PreToolUse", CALL)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "no rm",
      },
    });
    expect(await ask("PreToolUse", { ...CALL, tool_input: { command: "end" } })).toMatchObject({
      continue: false,
      stopReason: "over",
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(await ask("PreToolUse", { ...CALL, tool_input: { command: "ls" } })).toMatchObject({ stopReason: "over" });
  });

  it("a question is the person's, and a rewrite is never an `allow` where somebody is asked (case 053)", async () => {
    const { session, ask } = await asked();
    session.on("tool.before", ({ args }) =>
      args["command"] === "ask" ? { decision: "ask", reason: "sure?" } : { args: { ...args, command: "ls" } },
    );
    const specific = async (payload: object) =>
      (await ask("PreToolUse", { ...CALL, ...payload }))?.["hookSpecificOutput"];
    expect(await specific({ tool_input: { command: "ask" }, permission_mode: "bypassPermissions" })).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: "sure?",
    });
    const updatedInput = { command: "ls", description: "d" };
    expect(await specific({})).toMatchObject({ permissionDecision: "ask", updatedInput });
    expect(await specific({ permission_mode: "acceptEdits" })).toMatchObject({
      permissionDecision: "ask",
      updatedInput,
    });
    expect(await specific({ permission_mode: "bypassPermissions" })).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput,
    });
  });

  it("a rewritten result keeps the tool's shape (case 067), and a failed call is told apart (069)", async () => {
    const { session, ask } = await asked();
    session.on("tool.after", ({ content, isError }) => ({
      content: content.map((block) =>
        block.type === "text" ? { ...block, text: block.text.replaceAll("TOKEN", isError ? "?" : "[gone]") } : block,
      ),
    }));
    const tool_response = { stdout: "a TOKEN", stderr: "TOKEN b", interrupted: false, isImage: false };
    expect(await ask("PostToolUse", { ...CALL, tool_response })).toEqual({
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { stdout: "a [gone]\n[gone] b", stderr: "", interrupted: false, isImage: false },
      },
    });
    expect(await ask("PostToolUseFailure", { ...CALL, error: "Exit code 1\nTOKEN" })).toEqual({
      systemMessage: expect.stringContaining("bridge report claude"),
    });
  });

  it("a result that Copilot CLI tells of is the text that its model is shown, an error or none", async () => {
    const { session, ask } = await asked();
    const seen: unknown[] = [];
    session.on("tool.after", ({ content, isError }) => {
      seen.push([textOf(content), isError]);
      return { content: [{ type: "text", text: textOf(content).replace("SECRET", "[gone]") }] };
    });
    const tool_result = { result_type: "success", text_result_for_llm: "key=SECRET" };
    expect(await ask("PostToolUse", { ...CALL, tool_result })).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "key=[gone]" },
    });
    await ask("PostToolUse", { ...CALL, tool_result: { resultType: "failure", textResultForLlm: "bad" } });
    expect(seen).toEqual([
      ["key=SECRET", false],
      ["bad", true],
    ]);
  });

  it("a rewritten call keeps the arguments that the hook gave and the unit of its timeout", async () => {
    const { session, ask } = await asked();
    session.on("tool.before", ({ args }) => {
      expect(args["timeout"]).toBe(5);
      return { args: { ...args, command: "true", timeout: 6, run_in_background: true } };
    });
    const tool_input = { command: "rm x", description: "d", timeout: 5000 };
    expect(await ask("PreToolUse", { ...CALL, tool_input, permission_mode: "bypassPermissions" })).toMatchObject({
      hookSpecificOutput: {
        updatedInput: { command: "true", description: "d", timeout: 6000, run_in_background: true },
      },
    });
  });

  it("a prompt is blocked with the reason (073), a stop sent on (085), a compaction cancelled", async () => {
    const { session, ask } = await asked();
    session.on("prompt.before", () => ({ stop: true, reason: "not now" }));
    session.on("agent.stop", () => ({ feedback: "MORE" }));
    session.on("compact.before", () => ({ cancel: true }));
    session.on("compact.after", () => ({ additionalContext: "KEEP" }));
    expect(await ask("UserPromptSubmit", { prompt: "x" })).toEqual({ decision: "block", reason: "not now" });
    expect(await ask("Stop", { last_assistant_message: "done" })).toEqual({ decision: "block", reason: "MORE" });
    expect(await ask("PreCompact", { trigger: "auto" })).toMatchObject({ decision: "block" });
    expect(await ask("PostCompact", { trigger: "auto", compact_summary: "s" })).toBeUndefined();
    expect(await ask("SessionStart", { source: "compact" })).toEqual({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "KEEP" },
    });
  });

  it("an edit has hookline's names for hooks, and its own again afterwards", async () => {
    const { session, ask } = await asked();
    const seen: unknown[] = [];
    session.on("tool.before", ({ tool, args }) => {
      seen.push({ tool, args });
      return { args: { ...args, path: "/b" } };
    });
    const tool_input = { file_path: "/a", old_string: "x", new_string: "y", replace_all: true };
    const said = await ask("PreToolUse", { ...CALL, tool_name: "Edit", tool_input });
    expect(seen).toEqual([
      { tool: "edit", args: { path: "/a", replace_all: true, edits: [{ oldText: "x", newText: "y" }] } },
    ]);
    expect(said?.["hookSpecificOutput"]).toMatchObject({ updatedInput: { ...tool_input, file_path: "/b" } });
  });
});

test("an entry of Claude Code's that another agent runs, too, is known for every event that both have", async () => {
  for (const sign of SIGNS)
    for (const event of Object.keys(events)) {
      const other = guest(event, { [sign]: "1" });
      if (other === undefined) continue;
      const host = await HOSTS[other.host]?.();
      expect([other.event, Object.hasOwn(host?.events ?? {}, other.event)]).toEqual([other.event, true]);
    }
  expect(guest("PreToolUse", {})).toBeUndefined();
});
