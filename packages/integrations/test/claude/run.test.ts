import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Message } from "../../../runtime/src/catalog/message.ts";
import type { LlmReport } from "../../../runtime/src/port/llm.ts";
import { starter } from "../../src/claude/hooks/starter.ts";
import { user } from "../opened.ts";
import { bash, command, group, opened, settings } from "./kit.ts";

const ok = (name: string, fields: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: name, ...fields } });

describe("a command", () => {
  test("gets the event on stdin, its folder and its variables [claude.process.1]", async () => {
    await using hooks = await opened({
      "project/.claude/settings.json": settings({
        PreToolUse: "cat > in.json; env | grep -E '^(CLAUDE|HOOKLINE)' | sort > env.txt",
      }),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    const project = join(hooks.root, "project");
    expect(JSON.parse(readFileSync(join(project, "in.json"), "utf8"))).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      cwd: project,
      session_id: "s1",
    });
    const env = readFileSync(join(project, "env.txt"), "utf8");
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${project}\n`);
    expect(env).toContain("CLAUDECODE=1\n");
    expect(env).toContain("CLAUDE_CODE_SESSION_ID=s1\n");
    expect(env).not.toContain("CLAUDE_ENV_FILE");
    expect(env).not.toContain("CLAUDE_PLUGIN_ROOT");
  });

  test("gets the model's level of thinking, and none of the agent's own telemetry [claude.process.1]", async () => {
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ PreToolUse: "cat > in.json; env > env.txt" }) },
      { scene: { thinking: "minimal" }, env: { PATH: process.env["PATH"] ?? "", OTEL_SDK: "1", KEPT: "1" } },
    );
    await hooks.session.emit("tool.before", bash("ls"));
    const project = join(hooks.root, "project");
    expect(JSON.parse(readFileSync(join(project, "in.json"), "utf8")).effort).toEqual({ level: "low" });
    const env = readFileSync(join(project, "env.txt"), "utf8");
    expect(env).toContain("CLAUDE_EFFORT=low\n");
    expect(env).toContain("KEPT=1\n");
    expect(env).not.toContain("OTEL_");
  });

  test("is read by bash, whose arrays are errors to a smaller shell [claude.process.1]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: `words=(a "b c"); [[ "$\{words[1]}" = "b c" ]] && exit 0; exit 2`,
      }),
    });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual({});
  });

  test("gets what env of the settings sets, a project's from its own alone and no provider's key", async () => {
    const text = (env: object) => settings({ PreToolUse: 'echo "$A $B $OPENAI_API_KEY." >> env.txt' }, { env });
    await using hooks = await opened({
      "home/.claude/settings.json": text({ A: "user", OPENAI_API_KEY: "k" }),
      "project/.claude/settings.local.json": text({ B: "project" }).replace("env.txt", "./env.txt"),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    const lines = readFileSync(join(hooks.root, "project", "env.txt"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    expect(lines.toSorted()).toEqual([" project .", "user  ."]);
  });

  test("with args is a program that no shell reads [claude.process.1]", async () => {
    const args = ["%s", "$" + "{CLAUDE_PROJECT_DIR}/a $HOME;b"];
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionStart: [group({ type: "command", command: "printf", args })] }),
    });
    const { answer } = await hooks.session.emit("session.start", { reason: "startup" });
    expect(answer).toEqual({ additionalContext: [`${join(hooks.root, "project")}/a $HOME;b`] });
  });

  test("CLAUDE_ENV_FILE is unset where no variables can be set [claude.case.081]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: 'test -z "$CLAUDE_ENV_FILE" || exit 2' }),
    });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual({});
  });

  test("what SessionStart writes to CLAUDE_ENV_FILE is set for later commands [claude.process.2]", async () => {
    const set: Record<string, string>[] = [];
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({
          SessionStart: `echo 'export KEY="a b"' >> "$CLAUDE_ENV_FILE"; echo 'export TWICE=$KEY$KEY' >> "$CLAUDE_ENV_FILE"`,
        }),
      },
      { services: { tools: { ...NO_TOOLS, setEnvironment: (given) => void set.push({ ...given }) } } },
    );
    await hooks.session.emit("session.start", { reason: "startup" });
    expect(set).toEqual([{ KEY: "a b", TWICE: "a ba b" }]);
  });

  test("what a project's hook writes there is sourced with what it may see itself", async () => {
    const set: Record<string, string>[] = [];
    await using hooks = await opened(
      {
        "project/.claude/settings.json": settings({
          SessionStart: `echo 'export SEEN="<$SECRET>"' >> "$CLAUDE_ENV_FILE"`,
        }),
      },
      {
        env: { PATH: process.env["PATH"] ?? "", SECRET: "hidden" },
        services: { tools: { ...NO_TOOLS, setEnvironment: (given) => void set.push({ ...given }) } },
      },
    );
    await hooks.session.emit("session.start", { reason: "startup" });
    expect(set).toEqual([{ SEEN: "<>" }]);
  });

  test("a file of variables whose last command fails counts anyway", async () => {
    const set: Record<string, string>[] = [];
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ SessionStart: `echo 'export A=1; false' >> "$CLAUDE_ENV_FILE"` }) },
      {
        // The file belongs to the session's id, and outlives the session.
        scene: { sessionId: randomUUID() },
        services: { tools: { ...NO_TOOLS, setEnvironment: (given) => void set.push({ ...given }) } },
      },
    );
    await hooks.session.emit("session.start", { reason: "startup" });
    expect(set).toEqual([{ A: "1" }]);
  });

  test("a script that is gone since it was loaded refuses the call", async () => {
    await using hooks = await opened({
      "project/guard.sh": "exit 0",
      "project/.claude/settings.json": settings({ PreToolUse: 'sh "$CLAUDE_PROJECT_DIR"/guard.sh' }),
    });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual({});
    (await import("node:fs")).rmSync(join(hooks.root, "project", "guard.sh"));
    const { answer, diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
    expect(answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["FILE_GONE", "FAILED_CLOSED"]);
  });

  test.each([
    ["larger", `{"decision":"block","seen":"${"x".repeat(9_000_000)}"}`, "deny", ["OUTPUT_LIMIT", "FAILED_CLOSED"]],
    [
      "deeper",
      `{"decision":"block","seen":${"[".repeat(256)}${"]".repeat(256)}}`,
      undefined,
      ["HOOK_BAD_ANSWER", "FAILED_OPEN"],
    ],
  ])(
    "whose answer is %s than is read: size is the engine's failure, depth its own",
    async (_, text, decision, codes) => {
      await using hooks = await opened({
        "project/answer.json": text,
        "home/.claude/settings.json": settings({ PreToolUse: "cat answer.json" }),
      });
      const { answer, diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
      expect(answer.decision).toBe(decision);
      expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    },
  );

  test("all hooks of an event start together [claude.fold.2]", async () => {
    // Each waits for the other's file; one after the other they would wait for ever.
    const meet = (own: string, other: string) => `touch ${own}; while [ ! -e ${other} ]; do sleep 0.05; done`;
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [group(command(meet("a", "b"), { timeout: 60 })), group(command(meet("b", "a"), { timeout: 60 }))],
      }),
    });
    const { diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
    expect(diagnostics).toEqual([]);
  });

  test("SessionEnd is cut off at its own short limit [claude.case.083]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionEnd: "sleep 30; touch late" }),
    });
    const { diagnostics } = await hooks.session.emit("session.end", { reason: "quit" });
    expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining("1500 ms")]);
    expect(existsSync(join(hooks.root, "project", "late"))).toBe(false);
  });
});

const NO_TOOLS = { active: () => [], setActive: () => {}, all: () => [], commands: () => [] };

describe("what a hook is for", () => {
  test.each([
    ["Bash", "Bash", true, "[claude.case.001]"],
    ["bash", "Bash", false, "[claude.case.003]"],
    ["Edit, Write", "Write", true, "[claude.case.005]"],
    ["^Edit$", "NotebookEdit", false, "[claude.case.007]"],
    ["mcp__memory", "mcp__memory__create", false, "[claude.case.009]"],
    ["mcp__memory__.*", "mcp__memory__create", true, ""],
    ["", "Bash", true, ""],
    ["*", "Bash", true, ""],
  ])("matcher %j, tool %s: %s %s", async (matcher, name, runs) => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group(command("exit 2"), matcher)] }),
    });
    const tools: Readonly<Record<string, string>> = { Bash: "bash", Write: "write" };
    const call = { toolCallId: "c", tool: tools[name] ?? name, args: {} };
    expect((await hooks.session.emit("tool.before", call)).answer.decision).toBe(runs ? "deny" : undefined);
  });

  test("a matcher of SessionStart is tested on the source [claude.case.015]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionStart: [group(command("echo x"), "startup|clear|compact")] }),
    });
    expect((await hooks.session.emit("session.start", { reason: "resume" })).answer).toEqual({});
    expect((await hooks.session.emit("session.start", { reason: "startup" })).answer).toEqual({
      additionalContext: ["x"],
    });
  });

  test.each([
    ["Bash(git *)", "npm test && git push", true, "[claude.case.017]"],
    ["Bash(rm *)", "echo $(date)", false, "[claude.case.019]"],
    ["Bash(git *)", "git commit -m 'unfinished", true, "[claude.case.021]"],
    ["Bash(git commit:*)", "git commit -m x", true, "[claude.case.023]"],
    ["Bash(git commit:*)", "git push", false, "[claude.case.023]"],
  ])("if %s, command %j: %s %s", async (rule, line, runs) => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group(command("exit 2", { if: rule }), "Bash")] }),
    });
    expect((await hooks.session.emit("tool.before", bash(line))).answer.decision).toBe(runs ? "deny" : undefined);
  });

  test("a rule about files is taken from the session's folder [claude.case.025]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group(command("exit 2", { if: "Edit(*.ts)" }), "Edit")] }),
    });
    const edit = (path: string) => ({ toolCallId: "c", tool: "edit", args: { path, edits: [] } });
    expect((await hooks.session.emit("tool.before", edit("a/b.ts"))).answer.decision).toBe("deny");
    expect((await hooks.session.emit("tool.before", edit("a/b.js"))).answer.decision).toBeUndefined();
  });

  test("if on an event without tools never runs, and this is reported", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ Stop: [group(command("exit 2", { if: "Bash(git *)" }))] }),
    });
    expect(hooks.session.report.sources[0]).toMatchObject({ state: "unreachable" });
  });
});

test.each([
  ["rm -rf build", 2],
  ['cd "my dir" && rm -rf .', 2],
  ["ls\nrm -Rf x", 2],
  ["rm --recursive x", 2],
  ["/bin/rm -v -f x", 2],
  ["rm x", 0],
  ["npm-rm -f", 0],
  ["alarm -f x", 0],
])("the example guard ends for %j with %i", (command, code) => {
  const script = starter.files[1]?.text ?? "";
  const input = JSON.stringify({ tool_name: "Bash", tool_input: { command } });
  expect(spawnSync("sh", ["-c", script], { input }).status).toBe(code);
});

describe("a hook behind a URL", () => {
  const serving = async (reply: (body: string, headers: NodeJS.Dict<string | string[]>) => string) => {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => response.setHeader("content-type", "application/json").end(reply(body, request.headers)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}/hook`, [Symbol.asyncDispose]: async () => void server.close() };
  };

  test("is posted the event, with the headers that its list allows [claude.http.2]", async () => {
    const seen: unknown[] = [];
    await using server = await serving((body, { authorization }) => {
      seen.push([JSON.parse(body).tool_name, authorization]);
      return ok("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" });
    });
    const handler = {
      type: "http",
      url: server.url,
      headers: { Authorization: "Bearer $MY_WORD $OTHER" },
      allowedEnvVars: ["MY_WORD"],
    };
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ PreToolUse: [group(handler)] }) },
      { env: { MY_WORD: "w1", OTHER: "hidden" } },
    );
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual({ decision: "deny", reason: "no" });
    expect(seen).toEqual([["Bash", "Bearer w1"]]);
  });

  test("is not asked where allowedHttpHookUrls does not name it [claude.case.099] [claude.http.2]", async () => {
    let asked = 0;
    await using server = await serving(() => {
      asked += 1;
      return "{}";
    });
    const text = (more: object) => settings({ PreToolUse: [group({ type: "http", url: server.url })] }, more);
    await using none = await opened({ "home/.claude/settings.json": text({ allowedHttpHookUrls: [] }) });
    await none.session.emit("tool.before", bash("ls"));
    expect(asked).toBe(0);
    await using some = await opened({
      "home/.claude/settings.json": text({ allowedHttpHookUrls: ["http://127.0.0.1:*/*"] }),
    });
    await some.session.emit("tool.before", bash("ls"));
    expect(asked).toBe(1);
  });

  test("that answers with text has no answer, and the call runs [claude.case.095]", async () => {
    await using server = await serving(() => "please do not");
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group({ type: "http", url: server.url })] }),
    });
    const { answer, diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
    expect(answer).toEqual({});
    expect(diagnostics[0]?.message).toContain("the server's answer is no JSON object");
  });

  test("that answers larger than is read refuses, since what it was sent may be the reason", async () => {
    await using server = await serving(() => `{"decision":"block","seen":"${"x".repeat(1024 * 1024)}"}`);
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group({ type: "http", url: server.url })] }),
    });
    const { answer, diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
    expect(answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["OUTPUT_LIMIT", "FAILED_CLOSED"]);
  });

  test.each([
    ["http://example.com/hook", {}, "would be asked without encryption"],
    ["https://me:word@example.com/", {}, "contains a user or password"],
    ["ftp://example.com/", {}, "begins with ftp://"],
    ["example.com/hook", {}, "cannot be read"],
    ["https://example.com/", { "Content-Length": "3" }, "the header Content-Length is not for a hook to set"],
    ["https://example.com/", { "X-A": "a\r\nX-B: b" }, "contains a line break"],
  ])("that can never be asked is broken at load: %s", async (url, headers, problem) => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [group({ type: "http", url, headers }), group(command("exit 2"))],
      }),
    });
    const [broken, other] = hooks.session.report.sources;
    expect(broken).toMatchObject({ state: "broken", reason: expect.stringContaining(problem) });
    expect(broken?.line).toBeGreaterThan(1);
    expect(other).toMatchObject({ state: "runs" });
  });

  test("has headers with variables that are sent as nothing, which is told at load and once when it is asked", async () => {
    await using server = await serving(() => "{}");
    const handler = {
      type: "http",
      url: server.url,
      headers: { "X-A": "$UNLISTED", "X-B": "$UNSET", "X-C": "$OPENAI_API_KEY" },
      allowedEnvVars: ["UNSET", "OPENAI_API_KEY"],
    };
    await using hooks = await opened({ "home/.claude/settings.json": settings({ PreToolUse: [group(handler)] }) });
    const told = hooks.session.report.diagnostics.map(({ message }) => message).join("\n");
    expect(told).toContain("$UNLISTED is sent empty, because allowedEnvVars does not name it");
    expect(told).toContain("$OPENAI_API_KEY is sent empty");
    await hooks.session.emit("tool.before", bash("ls"));
    await hooks.session.emit("tool.before", bash("ls"));
    const later = hooks.diagnostics.filter(({ message }) => message.includes("$UNSET of its headers is not set"));
    expect(later).toHaveLength(1);
  });

  test("at a private address is the engine's to refuse for a project, so it refuses without onFailure too", async () => {
    const handler = { type: "http", url: "https://10.0.0.1/hook" };
    await using hooks = await opened({ "project/.claude/settings.json": settings({ PreToolUse: [group(handler)] }) });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer.decision).toBe("deny");
  });

  test("that cannot be reached refuses with onFailure: block [claude.case.097]", async () => {
    const handler = { type: "http", url: "http://127.0.0.1:9/hook", onFailure: "block" };
    await using hooks = await opened({ "home/.claude/settings.json": settings({ PreToolUse: [group(handler)] }) });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer.decision).toBe("deny");
  });
});

describe("a hook in the background", () => {
  test("is not waited for, and its onFailure has no effect [claude.async.1] [claude.case.045]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [
          group(command("while [ ! -e go ]; do sleep 0.05; done; exit 3", { async: true, onFailure: "block" })),
        ],
      }),
    });
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual({});
  });

  test("is started once for a call that another hook edits", async () => {
    const edited = { hookEventName: "PreToolUse", updatedInput: { command: "ls -l" } };
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [
          group(command("echo . >> runs", { async: true })),
          group(command(`echo '${JSON.stringify({ hookSpecificOutput: edited })}'`)),
        ],
      }),
    });
    const { answer } = await hooks.session.emit("tool.before", bash("ls"));
    expect(answer.args).toEqual({ command: "ls -l" });
    await expect.poll(() => hooks.session.background.list()).toEqual([]);
    expect(readFileSync(join(hooks.root, "project", "runs"), "utf8")).toBe(".\n");
  });

  test("wakes the agent with exit code 2 [claude.case.109]", async () => {
    const sent: unknown[] = [];
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({
          PostToolUse: [group(command("echo E >&2; exit 2", { asyncRewake: true, rewakeMessage: "Look:" }))],
        }),
      },
      { services: { conversation: { ...SILENT, sendMessage: (...message) => void sent.push(message) } } },
    );
    await hooks.session.emit("tool.after", { ...bash("ls"), content: [], details: {}, isError: false, blocked: false });
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]).toEqual([
      expect.objectContaining({ content: "<system-reminder>\nLook:\nE\n</system-reminder>", display: false }),
      expect.objectContaining({ triggerTurn: true, deliverAs: "followUp" }),
    ]);
  });

  test("is ended with the session, and this is reported [claude.async.1]", async () => {
    const hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [group(command("echo $$ > pid; sleep 600", { async: true }))],
      }),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    const file = join(hooks.root, "project", "pid");
    await expect.poll(() => existsSync(file) && statSync(file).size > 0).toBe(true);
    const pid = Number(readFileSync(file, "utf8"));
    await hooks[Symbol.asyncDispose]();
    expect(hooks.codes()).toEqual(["BACKGROUND_ENDED"]);
    expect(hooks.diagnostics[0]?.message).toMatch(/^The PreToolUse hook .*settings\.json:\d+ was still running/);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test("is on the session's list while it runs, for whatever dialect, and can be ended", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({
        PreToolUse: [group(command("while [ ! -e go ]; do sleep 0.05; done", { async: true }))],
        PostToolUse: [group(command("sleep 600", { async: true }))],
      }),
    });
    const { background } = hooks.session;
    let heard = 0;
    const stop = background.listen(() => heard++);
    expect(background.list()).toEqual([]);
    await hooks.session.emit("tool.before", bash("ls"));
    await hooks.session.emit("tool.after", { ...bash("ls"), content: [], details: {}, isError: false, blocked: false });
    expect(background.list().map(({ event }) => event)).toEqual(["PreToolUse", "PostToolUse"]);
    const [first, second] = background.list();
    expect(first?.label).toMatch(/^PreToolUse hook .*settings\.json:\d+$/);
    expect(first?.ms).toBeGreaterThanOrEqual(0);
    second?.end();
    await expect.poll(() => background.list().map(({ event }) => event)).toEqual(["PreToolUse"]);
    writeFileSync(join(hooks.root, "project", "go"), "");
    await expect.poll(() => background.list()).toEqual([]);
    expect(heard).toBe(4);
    stop();
    expect(hooks.codes()).toEqual([]);
  });

  test("from before is ended when the hooks are loaded again, and one of the new ones continues", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group(command("sleep 600", { async: true }))] }),
    });
    const { session } = hooks;
    await session.emit("tool.before", bash("ls"));
    await session.load();
    expect(hooks.codes()).toEqual(["BACKGROUND_ENDED"]);
    await session.emit("tool.before", bash("ls"));
    await expect.poll(() => session.background.list()).toHaveLength(1);
  });

  test("that fails is reported once, since nobody waits for its answer", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: [group(command("exit 3", { async: true }))] }),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    await hooks.session.emit("tool.before", bash("ls"));
    await expect.poll(() => hooks.session.background.list()).toEqual([]);
    expect(hooks.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["HOOK_THREW", expect.stringContaining("failed on PreToolUse: exit code 3")],
    ]);
  });
});

const SILENT = {
  sendMessage: () => {},
  sendUserMessage: () => {},
  appendEntry: () => {},
  setSessionName: () => {},
  getSessionName: () => undefined,
  setLabel: () => {},
};

describe("a hook that is a question to a model", () => {
  test("is asked with the event in its prompt, filled once [claude.case.107] [claude.judge.1]", async () => {
    const prompts: string[] = [];
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({
          PreToolUse: [group({ type: "prompt", prompt: "Costs \\$1.00? $ARGUMENTS" })],
        }),
      },
      {
        services: {
          llm: {
            complete: async ({ prompt }) => {
              prompts.push(prompt);
              return { ok: true, text: 'Well: {"ok": false, "reason": "R"}' };
            },
          },
        },
      },
    );
    const { answer } = await hooks.session.emit("tool.before", bash("echo '$ARGUMENTS'"));
    expect(answer).toMatchObject({ decision: "deny", halt: { reason: "R" } });
    expect(JSON.stringify(answer.reason)).not.toContain('R"');
    expect(prompts[0]).toMatch(/^Costs \$1\.00\? \{"session_id"/);
    expect(JSON.parse((prompts[0] as string).slice("Costs $1.00? ".length)).tool_input.command).toBe(
      "echo '$ARGUMENTS'",
    );
  });

  test.each([
    [
      "ends the turn",
      {},
      { decision: "deny", reason: expect.stringContaining("ended the run"), halt: { reason: "R" } },
    ],
    ["refuses the call, with continueOnBlock", { continueOnBlock: true }, { decision: "deny", reason: "R" }],
  ])("a no on PreToolUse %s [claude.judge.4]", async (_, more, expected) => {
    const llm = { complete: async () => ({ ok: true as const, text: '{"ok": false, "reason": "R"}' }) };
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ PreToolUse: [group({ type: "prompt", prompt: "Safe?", ...more })] }) },
      { services: { llm } },
    );
    expect((await hooks.session.emit("tool.before", bash("ls"))).answer).toEqual(expected);
  });

  test("a no elsewhere is the reason why the event is sent back [claude.judge.1]", async () => {
    const llm = { complete: async () => ({ ok: true as const, text: '{"ok": false, "reason": "R"}' }) };
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ Stop: [group({ type: "prompt", prompt: "Done?" })] }) },
      { services: { llm } },
    );
    const stop = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };
    expect((await hooks.session.emit("agent.stop", stop)).answer).toEqual({ feedback: ["R"] });
  });

  const judged = async (replies: readonly (string | LlmReport)[], more: object = {}) => {
    const left = [...replies];
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ PreToolUse: [group({ type: "prompt", prompt: "Safe?", ...more })] }) },
      {
        services: {
          llm: {
            complete: async () => {
              const next = left.shift() ?? "no reply is left";
              return typeof next === "string" ? { ok: true, text: next } : next;
            },
          },
        },
      },
    );
    const { answer, diagnostics } = await hooks.session.emit("tool.before", bash("ls"));
    return {
      decision: answer.decision,
      codes: diagnostics.map(({ code }) => code),
      asked: replies.length - left.length,
    };
  };

  test.each([
    ['{"ok": false, "reason": "bad"} (the tool input was {"command": "touch ran"})'],
    ['{"reason": "it runs {x", "ok": false}, as "x" says'],
    ['{"seen": {"command": "ls"}, "reason": "bad", "ok": false} there'],
    ['The command is {ls "}. {"ok": false}'],
    [`${"{".repeat(5_000)}{"ok": false}`],
    ['The input {"command": "touch ran"} is bad: {"ok": false}'],
    ['{"ok": true} or {"ok": false}'],
    ['{"ok": false, "ok": true}'],
    ['{"verdict": {"ok": false}}'],
    ['```json\n{"ok": false}\n```'],
  ])("%s is a no [claude.judge.2]", async (reply) => {
    expect(await judged([reply])).toEqual({ decision: "deny", codes: [], asked: 1 });
  });

  test.each([['{"ok": true}'], [' {"ok": true, "reason": "a } b"}\n'], ['```\n{"ok": true}\n```']])(
    "%s is a yes [claude.judge.2]",
    async (reply) => {
      expect(await judged([reply])).toEqual({ decision: undefined, codes: [], asked: 1 });
    },
  );

  test.each([
    ['{"ok": true} {"command": "ls"}'],
    ['Sure: {"ok": true}'],
    ['{"ok": true, "ok": true}'],
    ['{"ok": "true"}'],
    ['{"ok": false, "reason": "cut o'],
    ["[true]"],
    ["null"],
    ["yes"],
  ])("%s is no verdict: the model is asked once more, and the failure is reported [claude.judge.2]", async (reply) => {
    expect(await judged([reply, '{"ok": false}'])).toEqual({ decision: "deny", codes: [], asked: 2 });
    expect(await judged([reply, reply])).toEqual({
      decision: undefined,
      codes: ["HOOK_BAD_ANSWER", "FAILED_OPEN"],
      asked: 2,
    });
    expect(await judged([reply, reply], { onFailure: "block" })).toMatchObject({ decision: "deny", asked: 2 });
  });

  test("a call that is larger than the model's window is refused [claude.judge.3]", async () => {
    const large: LlmReport = { ok: false, cause: "too-large", message: "prompt is too long" };
    expect(await judged([large])).toMatchObject({ decision: "deny", asked: 1 });
  });

  test("an agent that may look at files is asked in the same way", async () => {
    await using hooks = await opened(
      { "home/.claude/settings.json": settings({ Stop: [group({ type: "agent", prompt: "Are the tests green?" })] }) },
      {
        services: {
          llm: {
            complete: async () => ({ ok: false, cause: "failed", message: "not asked" }),
            investigate: async ({ maxTurns }) => ({
              ok: true,
              text: JSON.stringify({ ok: false, reason: `${maxTurns}` }),
            }),
          },
        },
      },
    );
    const stop = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };
    expect((await hooks.session.emit("agent.stop", stop)).answer).toEqual({ feedback: ["50"] });
  });
});

describe("messages to the person and the model", () => {
  test("a result of the wrong shape is reported and has no effect [claude.case.067]", async () => {
    await using hooks = await opened({
      "project/say.json": ok("PostToolUse", { updatedToolOutput: "text", additionalContext: "N" }),
      "home/.claude/settings.json": settings({ PostToolUse: "cat say.json" }),
    });
    const after = { ...bash("ls"), content: [], details: {}, isError: false, blocked: false };
    const { answer, diagnostics } = await hooks.session.emit("tool.after", after);
    expect(answer).toEqual({ remark: ["N"] });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["HOOK_ODD_ANSWER", expect.stringContaining("a result of Bash is an object with stdout")],
    ]);
  });

  test("systemMessage is for the person [claude.answer.1]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: `echo '{"systemMessage":"look"}'` }),
    });
    expect((await hooks.session.emit("tool.before", bash("ls"))).notices.map(({ text }) => text)).toEqual(["look"]);
  });

  test("stderr of exit code 2 is for the person where nothing can be blocked [claude.exit.3]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionStart: "echo E >&2; exit 2" }),
    });
    const { answer, notices } = await hooks.session.emit("session.start", { reason: "startup" });
    expect(answer).toEqual({});
    expect(notices.map(({ text }) => text)).toEqual(["E"]);
  });

  test("only harmless sequences reach the terminal [claude.answer.4]", async () => {
    const written: string[] = [];
    const sequence = "\u001b]0;title\u0007\u001b[2J\u001b]52;c;c2VjcmV0\u0007\u0007";
    await using hooks = await opened(
      {
        "project/say.json": JSON.stringify({ terminalSequence: sequence }),
        "home/.claude/settings.json": settings({ PreToolUse: "cat say.json" }),
      },
      { services: { ui: { terminalSequence: (text) => void written.push(text) } } },
    );
    await hooks.session.emit("tool.before", bash("ls"));
    expect(written).toEqual(["\u001b]0;title\u0007\u0007"]);
  });

  test("a long text goes to a file, with its beginning [claude.answer.3]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionStart: "head -c 20000 /dev/zero | tr '\\0' x" }),
    });
    const [text = ""] =
      (await hooks.session.emit("session.start", { reason: "startup" })).answer.additionalContext ?? [];
    const [, path = ""] = /the whole text is in (.*)\]$/.exec(text) ?? [];
    expect(text.length).toBeLessThan(3000);
    expect(readFileSync(path, "utf8")).toBe("x".repeat(20_000));
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});

test("a long reason that cannot be kept in a file still stops the prompt", async () => {
  await using hooks = await opened(
    {
      "home/.claude/settings.json": settings({
        UserPromptSubmit: "head -c 20000 /dev/zero | tr '\\0' x >&2; exit 2",
      }),
    },
    { scene: { sessionFile: "/dev/null/s1.jsonl" } },
  );
  const { answer } = await hooks.session.emit("prompt.before", { text: "go" });
  expect(answer).toMatchObject({ stop: true, reason: expect.stringMatching(/^x+…\n\[20000 characters in all/) });
});

describe("the transcript", () => {
  test("of a session that is not kept lies in no folder that somebody else could have made", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ PreToolUse: "jq -r .transcript_path > path" }),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    const folder = dirname(readFileSync(join(hooks.root, "project", "path"), "utf8").trim());
    expect(dirname(folder)).toBe(tmpdir());
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  test("of a session that is not kept, and what else was written for it, are gone with the session", async () => {
    const sessionId = randomUUID();
    const hooks = await opened(
      {
        "home/.claude/settings.json": settings({
          SessionStart: `echo 'export A=1' >> "$CLAUDE_ENV_FILE"; head -c 20000 /dev/zero | tr '\\0' x`,
        }),
      },
      { scene: { sessionId }, services: { tools: { ...NO_TOOLS, setEnvironment: () => {} } } },
    );
    await hooks.session.emit("session.start", { reason: "startup" });
    const folders = ["transcripts", "texts"].map((kind) =>
      join(tmpdir(), `hookline-${kind}-${process.getuid?.() ?? 0}`),
    );
    const written = (): string[] =>
      folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.startsWith(sessionId));
    expect(written()).toHaveLength(3);
    await hooks[Symbol.asyncDispose]();
    expect(written()).toEqual([]);
  });

  const reply: Message = {
    role: "assistant",
    content: [
      { type: "text", text: "I look" },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } },
    ],
    api: "a",
    provider: "p",
    model: "m",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "toolUse",
    timestamp: 2,
  };

  test("holds the conversation so far, a message a line [claude.transcript.1]", async () => {
    const messages: Message[] = [user("do it")];
    await using hooks = await opened(
      {
        "home/sessions/s1.jsonl": "",
        "home/.claude/settings.json": settings({ PreToolUse: 'cp "$(jq -r .transcript_path)" seen.jsonl' }),
      },
      { scene: { messages: () => messages, sessionId: randomUUID() } },
    );
    const seen = () =>
      readFileSync(join(hooks.root, "project", "seen.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    await hooks.session.emit("tool.before", bash("ls"));
    expect(seen().map(({ type, message }) => [type, message.content])).toEqual([["user", "do it"]]);
    messages.push(reply, {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [{ type: "text", text: "text of a" }],
      isError: false,
      timestamp: 3,
    });
    await hooks.session.emit("tool.before", bash("ls"));
    expect(seen().map(({ type, message }) => [type, message.content])).toEqual([
      ["user", "do it"],
      [
        "assistant",
        [
          { type: "text", text: "I look" },
          { type: "tool_use", id: "c1", name: "Read", input: { file_path: join(hooks.root, "project", "a") } },
        ],
      ],
      ["user", [{ type: "tool_result", tool_use_id: "c1", content: "text of a" }]],
    ]);
    // Another branch begins anew.
    messages.splice(0, 3, user("another"));
    await hooks.session.emit("tool.before", bash("ls"));
    expect(seen().map(({ message }) => message.content)).toEqual(["another"]);
  });
});
