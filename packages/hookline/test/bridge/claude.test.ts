import { chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { createRuntime, textOf } from "@hookline/runtime";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { answerCall } from "../../src/bridge/daemon/answer.ts";
import { Caller } from "../../src/bridge/daemon/caller.ts";
import { openSession } from "../../src/bridge/daemon/open.ts";
import { Sessions } from "../../src/bridge/daemon/sessions.ts";
import { events } from "../../src/bridge/hosts/claude/events.ts";
import { guest, SIGNS } from "../../src/bridge/hosts/claude/guests.ts";
import { HOSTS } from "../../src/bridge/hosts/index.ts";
import { shownText, withText } from "../../src/bridge/moment/shaped-result.ts";
import { Desk } from "./at-desk.ts";
import { hooksOf } from "./host-hooks.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "rm x", description: "d" }, tool_use_id: "t1" };

async function asked() {
  const runtime = createRuntime({ dialects: [] });
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

test.each([
  ["a text", "a TOKEN", "a [gone]"],
  [
    "a file",
    { type: "text", file: { filePath: "/x", content: "TOKEN" } },
    { type: "text", file: { filePath: "/x", content: "[gone]" } },
  ],
  [
    "blocks",
    [
      { type: "text", text: "a" },
      { type: "text", text: "TOKEN" },
    ],
    [
      { type: "text", text: "a\n[gone]" },
      { type: "text", text: "" },
    ],
  ],
  [
    "an object with blocks",
    { content: [{ type: "text", text: "TOKEN" }] },
    { content: [{ type: "text", text: "[gone]" }] },
  ],
  ["an empty stream", { stdout: "TOKEN", stderr: "" }, { stdout: "[gone]", stderr: "" }],
  ["a shape that is not known", { one: { two: "TOKEN" }, n: 1 }, { one: { two: "[gone]" }, n: 1 }],
])("the result of %s is rewritten in its own shape", (_, response, wanted) => {
  expect(withText(response, shownText(response).replaceAll("TOKEN", "[gone]"))).toEqual(wanted);
});

test("a text that is no JSON any more empties a shape that is not known", () => {
  expect(withText({ one: { two: "TOKEN", three: "TOKEN" }, n: 1 }, "withheld")).toEqual({
    one: { two: "withheld", three: "" },
    n: 1,
  });
});

describe("the installation in Claude Code", () => {
  const FILE = "~/.claude/settings.json";
  const claude = (desk: Desk, version: string): void =>
    chmodSync(desk.write("../bin/claude", `#!/bin/sh\n[ "$1" = --version ] && echo "${version}"\n`), 0o755);
  const handlers = (desk: Desk): Record<string, Record<string, unknown>> => {
    const { hooks } = JSON.parse(desk.read(FILE) ?? "");
    return Object.fromEntries(Object.entries<any>(hooks).map(([event, [group]]) => [event, group.hooks[0]]));
  };

  it.each([
    ["2.1.295 (Claude Code)", true],
    ["2.2.0", true],
    ["2.1.294 (Claude Code)", false],
    ["1.9.400", false],
    ["something", false],
    [undefined, false],
  ])("has guards refuse when they fail, if %s is known to know it: %s", async (version, isKnown) => {
    using desk = new Desk();
    if (version !== undefined) claude(desk, version);
    const { out } = await desk.run("bridge", "install", "claude", "--yes");
    for (const [event, handler] of Object.entries(handlers(desk)))
      expect([event, handler["onFailure"]]).toEqual([event, isKnown && events[event]?.guard ? "block" : undefined]);
    expect(handlers(desk)["PreToolUse"]).toMatchObject({ timeout: 60 });
    expect(out.includes("2.1.295")).toBe(!isKnown);
    expect(out).toContain("known from its documentation only");
    const status = JSON.parse((await desk.run("bridge", "status", "claude", "--json")).out).hosts[0];
    expect(status.installed.every(({ intact }: { intact: boolean }) => intact)).toBe(true);
    expect(status).toMatchObject({
      trusted: true,
      problems: [],
      notes: isKnown ? [] : [expect.stringContaining("2.1.295")],
    });
    await desk.run("bridge", "remove", "claude", "--yes");
    expect(desk.read(FILE)).toBeUndefined();
  });

  it("leaves out of a project's file what an older version may not know", async () => {
    using desk = new Desk();
    claude(desk, "2.1.330");
    const { out } = await desk.run("bridge", "install", "claude", "--scope", "project", "--yes");
    expect(desk.read(".claude/settings.json")).not.toContain("onFailure");
    expect(desk.read(".claude/settings.json")).not.toContain(desk.home);
    expect(out).toContain("older versions may not know");
  });

  it("is no hook of hookline's own where the name of its folder must be quoted", async () => {
    using desk = new Desk();
    desk.env = { HOOKLINE_HOME: desk.at("~/it's a 'home'") };
    await desk.run("bridge", "install", "claude", "--yes");
    expect(desk.read(FILE)).toContain("home");
    expect(JSON.parse((await desk.run("hooks", "list", "--json")).out).summary).toMatchObject({ runs: 0 });
  });

  it("is no hook of hookline's own, and a hook that only looks like it stays one", async () => {
    using desk = new Desk();
    desk.write(
      FILE,
      '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo hookline-hook"}]}]}}\n',
    );
    await desk.run("bridge", "install", "claude", "--yes");
    await desk.run("bridge", "install", "claude", "--scope", "project", "--yes");
    await desk.run("bridge", "install", "pi", "--yes");
    const listed = JSON.parse((await desk.run("hooks", "list", "--json")).out);
    expect(listed.summary).toMatchObject({ runs: 1 });
    const module = listed.sources.find(({ path }: { path: string }) => path.endsWith("hookline-bridge.ts"));
    expect(module).toMatchObject({ state: "disabled", reason: expect.stringContaining("hookline's own") });
    expect(listed.diagnostics).toEqual([]);
    desk.write("~/.pi/agent/extensions/hookline-bridge.ts", `export default (pi) => pi.on("tool_call", () => {});\n`);
    expect(JSON.parse((await desk.run("hooks", "list", "--json")).out).summary.runs).toBe(2);
  });

  it("leaves the hooks of Claude Code's own files to it, and says that nothing was tried", async () => {
    using desk = new Desk();
    desk.write(FILE, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n');
    const { out } = await desk.run("bridge", "report", "claude");
    expect(out).toContain("(Claude Code runs it itself)");
    expect(out).toContain("known from its documentation only");
    const { source } = JSON.parse((await desk.run("bridge", "report", "claude", "--json")).out);
    expect(source).toEqual({ kind: "documented" });
    expect(JSON.parse((await desk.run("bridge", "report", "codex", "--json")).out).source).toEqual({
      kind: "recorded",
      version: "0.169.0",
    });
  });
});

describe("an entry of Claude Code's that another agent runs, too", () => {
  async function bothIn(desk: Desk) {
    desk.write(
      "~/.pi/agent/extensions/guard.ts",
      `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "closed" }));\n`,
    );
    const log = (): void => {};
    const sessions = new Sessions({
      open: (parts) => openSession({ ...parts, managed: { path: desk.at("none"), uid: 0 } }),
      log,
    });
    onTestFinished(() => sessions.closeAll());
    return async (host: string, event: string, payload: object, env = {}, origin = `${host}-user`): Promise<string> => {
      const request = {
        ...{ host, event, origin, cwd: desk.project, deadlineMs: 100_000, detach: false },
        env: { HOME: desk.home, HOOKLINE_HOME: desk.at("~/.hookline"), PATH: process.env["PATH"] ?? "", ...env },
        input: Buffer.from(JSON.stringify(payload)),
      };
      return (await answerCall(request, new Caller(), { hosts: HOSTS, sessions, log })).stdout;
    };
  }

  const claudes = { session_id: "s", hook_event_name: "PreToolUse", ...CALL };
  const copilots = { sessionId: "s", toolName: "bash", toolArgs: { command: "rm x" } };

  it("answers there, unless that agent asks by an entry of its own", async () => {
    using desk = new Desk();
    const ask = await bothIn(desk);
    const inCopilot = () => ask("claude", "PreToolUse", claudes, { COPILOT_CLI: "1" });
    expect(await inCopilot()).toContain("closed");
    expect(await ask("copilot", "preToolUse", copilots)).toContain("closed");
    expect(await inCopilot()).toBe("");
    // In a session of its own, and where it is Claude Code that asks, it answers.
    expect(await ask("claude", "PreToolUse", { ...claudes, session_id: "other" }, { COPILOT_CLI: "1" })).toContain(
      "closed",
    );
    expect(await ask("claude", "PreToolUse", claudes)).toContain("closed");
  });

  it("is asked once by two entries of Copilot CLI, whose calls have no id, and anew by the same entry", async () => {
    using desk = new Desk();
    const ask = await bothIn(desk);
    desk.write(
      "~/.pi/agent/extensions/count.ts",
      `import { appendFileSync } from "node:fs";
       const tell = (text) => appendFileSync(${JSON.stringify(desk.at("told.txt"))}, text + "\\n");
       export default (pi) => {
         pi.on("session_start", ({ reason }) => tell(reason));
         pi.on("tool_call", () => tell("call"));
         pi.on("session_shutdown", () => tell("end"));
       };`,
    );
    const from = (origin: string, event: string, payload: object) =>
      ask("copilot", event, { ...payload, timestamp: Math.random() }, {}, origin);
    // The start overlaps with the first call.
    const first = from("user", "preToolUse", copilots);
    await from("user", "sessionStart", { sessionId: "s", source: "new" });
    const said = [
      await first,
      await from("project", "preToolUse", copilots),
      await from("user", "preToolUse", copilots),
    ];
    expect(new Set(said).size).toBe(1);
    for (const origin of ["user", "project"]) await from(origin, "sessionEnd", { sessionId: "s", reason: "complete" });
    const ended = { session_id: "s", hook_event_name: "SessionEnd" };
    await ask("claude", "SessionEnd", ended, { COPILOT_CLI: "1" });
    await expect.poll(() => desk.read("told.txt")).toBe("startup\ncall\ncall\nend\n");
  });

  it("is known for every event that both have", async () => {
    for (const sign of SIGNS)
      for (const event of Object.keys(events)) {
        const other = guest(event, { [sign]: "1" });
        if (other === undefined) continue;
        const host = await HOSTS[other.host]?.();
        expect([other.event, Object.hasOwn(host?.events ?? {}, other.event)]).toEqual([other.event, true]);
      }
    expect(guest("PreToolUse", {})).toBeUndefined();
  });
});
