import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import type { Opened } from "../opened.ts";
import { bash, command, group, opened, settings } from "./kit.ts";

const DENY = "echo no >&2; exit 2";
const states = ({ session }: Opened): readonly string[] => session.report.sources.map(({ state }) => state);
const decided = async ({ session }: Opened, line = "ls"): Promise<unknown> =>
  (await session.emit("tool.before", bash(line))).answer.decision;

describe("where settings are read from", () => {
  test("all levels run, in order [claude.settings.1]", async () => {
    const say = (word: string) => settings({ PreToolUse: `echo ${word} >&2; exit 2` });
    await using hooks = await opened(
      {
        "home/.claude/settings.json": say("user"),
        "project/.claude/settings.json": say("project"),
        "project/.claude/settings.local.json": say("local"),
        "project/more.json": say("given"),
        "etc/claude-code/managed-settings.json": say("managed"),
        "etc/claude-code/managed-settings.d/10.json": say("drop"),
      },
      { explicit: ["claude:more.json"], etc: "etc" },
    );
    const { answer } = await hooks.session.emit("tool.before", bash("ls"));
    expect(answer).toMatchObject({ decision: "deny", reason: "user\nproject\nlocal\ngiven\nmanaged\ndrop" });
  });

  test("managed settings that others may write are not believed", async () => {
    await using hooks = await opened({}, { etc: "etc" });
    const folder = join(hooks.root, "etc", "claude-code");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "managed-settings.json"), settings({ PreToolUse: DENY }));
    chmodSync(join(folder, "managed-settings.json"), 0o666);
    const again = await hooks.runtime.open({ scene: { sessionId: "s2", cwd: join(hooks.root, "project") } });
    expect(again.report.sources.map(({ state, reason }) => [state, reason])).toEqual([
      ["broken", expect.stringContaining("other users can write to it")],
    ]);
  });

  test("CLAUDE_CONFIG_DIR moves the person's", async () => {
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({ Stop: "true" }),
        "home/other/settings.json": settings({ PreToolUse: DENY }),
      },
      { env: { PATH: process.env["PATH"] ?? "", CLAUDE_CONFIG_DIR: "~/other" } },
    );
    expect(await decided(hooks)).toBe("deny");
    expect(hooks.session.report.sources).toHaveLength(1);
  });

  test("hooks of a project do not run without consent [claude.case.121]", async () => {
    await using hooks = await opened(
      { "project/.claude/settings.json": settings({ PreToolUse: DENY }) },
      { consent: trustNothing },
    );
    expect(states(hooks)).toEqual(["untrusted"]);
    expect(await decided(hooks)).toBeUndefined();
  });

  test("the same handler in several settings files runs once [claude.case.113]", async () => {
    const same = settings({ PreToolUse: "echo . >> runs; exit 0" });
    await using hooks = await opened({
      "home/.claude/settings.json": same,
      "project/.claude/settings.json": same,
      "project/.claude/settings.local.json": settings({
        PreToolUse: [group(command("echo . >> runs; exit 0"), "Bash")],
      }),
    });
    await hooks.session.emit("tool.before", bash("ls"));
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(hooks.root, "project", "runs"), "utf8")).toBe(".\n");
    expect(states(hooks)).toEqual(["runs", "shadowed", "runs"]);
  });

  test("of equal handlers the administrator's runs, then the person's; no copy of a project asks for consent", async () => {
    const deny = settings({ PreToolUse: DENY });
    await using hooks = await opened(
      { "project/.claude/settings.json": deny, "more.json": deny, "etc/claude-code/managed-settings.json": deny },
      { consent: trustNothing, explicit: ["claude:../more.json"], etc: "etc" },
    );
    expect(states(hooks)).toEqual(["shadowed", "shadowed", "runs"]);
    expect(hooks.session.report.sources.find(({ state }) => state === "runs")?.tier).toBe("managed");
    expect(await decided(hooks)).toBe("deny");
  });

  test("a disabled copy does not replace another hook", async () => {
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({ PreToolUse: DENY }, { disableAllHooks: true }),
        "etc/claude-code/managed-settings.json": settings({ PreToolUse: DENY }),
      },
      { etc: "etc" },
    );
    expect(states(hooks)).toEqual(["disabled", "runs"]);
    expect(await decided(hooks)).toBe("deny");
  });

  test("a rule about paths of the project is not the one of the person's folder", async () => {
    const text = settings({ PreToolUse: [group(command(DENY, { if: "Edit(/src/**)" }), "Edit")] });
    await using hooks = await opened({
      "home/.claude/settings.json": text,
      "project/.claude/settings.json": text,
    });
    const edit = { toolCallId: "c", tool: "edit", args: { path: "src/a.ts", edits: [] } };
    expect((await hooks.session.emit("tool.before", edit)).answer.decision).toBe("deny");
  });

  test("a project's copy with another matcher runs where the person's does not", async () => {
    const text = (matcher: string) => settings({ PreToolUse: [group(command(DENY), matcher)] });
    await using hooks = await opened({
      "home/.claude/settings.json": text("Write"),
      "project/.claude/settings.json": text("Bash"),
    });
    expect(await decided(hooks)).toBe("deny");
  });
});

test("a folder of the project that CLAUDE_CONFIG_DIR names has no say over the person's hooks", async () => {
  await using hooks = await opened(
    {
      "home/.claude/settings.json": settings({ PreToolUse: DENY }),
      "project/cfg/settings.json": settings({ Stop: "true" }, { disableAllHooks: true }),
    },
    { env: { PATH: process.env["PATH"] ?? "", CLAUDE_CONFIG_DIR: "cfg" } },
  );
  expect(states(hooks)).toEqual(["runs", "disabled"]);
  expect(await decided(hooks)).toBe("deny");
});

test("approving a program without a shell covers its file, also where the name holds a space", async () => {
  await using hooks = await opened({
    "project/.claude/settings.json": settings({ PreToolUse: [group(command("./my guard.sh", { args: [] }))] }),
    "project/my guard.sh": "exit 2",
  });
  const before = hooks.session.report.sources[0]?.hash;
  writeFileSync(join(hooks.root, "project", "my guard.sh"), "exit 0");
  const again = await hooks.runtime.open({ scene: { sessionId: "s2", cwd: join(hooks.root, "project") } });
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(again.report.sources[0]?.hash).not.toBe(before);
});

describe("what is wrong with a file", () => {
  test("a malformed entry costs itself, with its line [claude.settings.2] [claude.case.119] [claude.case.013] [claude.case.079]", async () => {
    const text = JSON.stringify(
      {
        hooks: {
          PreToolUse: [
            group(command(DENY), "("),
            group({ type: "comand", command: "x" }),
            group({ command: "x" }),
            group(command("x", { timeout: "5" })),
            { matcher: "Bash" },
            group(command(DENY)),
          ],
          SessionStart: [group({ type: "http", url: "https://localhost" }), group({ type: "prompt", prompt: "x" })],
          PreTolUse: [group(command("x"))],
          Setup: [group(command("x"))],
          Stop: {},
        },
      },
      undefined,
      1,
    );
    await using hooks = await opened({ "home/.claude/settings.json": text });
    expect(await decided(hooks)).toBe("deny");
    const told = hooks.diagnostics.map(({ code, message }) => `${code} ${message.replace(/^.*settings\.json:?/, "")}`);
    expect(told.toSorted()).toEqual([
      'BAD_ENTRY 15: there is no handler type "comand"',
      "BAD_ENTRY 23: the handler has no type",
      "BAD_ENTRY 30: timeout must be a number of seconds",
      'BAD_ENTRY 37: a group of PreToolUse must be an object with a list "hooks"',
      "BAD_ENTRY 52: a handler of type http is not supported on SessionStart",
      "BAD_ENTRY 60: a handler of type prompt is not supported on SessionStart",
      expect.stringMatching(/^BAD_ENTRY 7: matcher "\("/),
      "BAD_ENTRY 87: Stop must hold a list of groups",
      expect.stringMatching(/^NEVER_FIRES .*"Setup"/),
      expect.stringMatching(/^UNKNOWN_HOOK_EVENT .*"PreTolUse"/),
    ]);
    const lines = text.split("\n");
    const [first] = hooks.session.report.sources.filter(({ reason }) => reason?.startsWith('matcher "("'));
    expect(lines[first?.line ?? 0]).toContain('"type": "command"');
    expect(states(hooks).filter((state) => state === "runs")).toHaveLength(1);
    const unknown = hooks.diagnostics.find(({ code }) => code === "UNKNOWN_HOOK_EVENT");
    expect(unknown?.hint).toContain("PreToolUse");
  });

  test.each([
    ["a comment", '{ // no\n "hooks": {} }', "not JSON"],
    ["a trailing comma", '{ "hooks": {}, }', "not JSON"],
    ["a list", "[]", "not a JSON object"],
    ["nothing", "", "no JSON value"],
  ])("%s breaks the file, and this is reported", async (_, text, problem) => {
    await using hooks = await opened({ "home/.claude/settings.json": text });
    expect(states(hooks)).toEqual(["broken"]);
    expect(hooks.diagnostics[0]).toMatchObject({
      code: "FILE_UNUSABLE",
      message: expect.stringContaining(problem),
      hint: expect.stringContaining("Correct the file"),
    });
  });

  test.each([
    ["hooks", '{ "hooks": { "PreToolUse": [] }, "hooks": {} }', "hooks appears twice"],
    ["an event", '{ "hooks": { "Stop": [],\n "Stop": [] } }', "Stop appears twice"],
    ["a list of rules", '{ "permissions": { "deny": ["Bash"],\n "deny": [] } }', "deny appears twice"],
  ])("%s that appears twice is told, since only the last counts", async (_, text, problem) => {
    await using hooks = await opened({ "home/.claude/settings.json": text });
    expect(states(hooks)).toContain("broken");
    expect(hooks.diagnostics[0]).toMatchObject({ code: "BAD_ENTRY", message: expect.stringContaining(problem) });
  });

  test.each([
    ["an event that stands beside hooks", '{ "PreToolUse": [] }', 'PreToolUse is outside of "hooks"'],
    ["hooks in another case", '{ "Hooks": { "Stop": [] } }', 'hooks are not read under "Hooks"'],
    ["hook", '{ "hook": { "TeammateIdle": [] } }', 'hooks are not read under "hook"'],
  ])("%s is told, since nobody reads what is in it", async (_, text, problem) => {
    await using hooks = await opened({ "home/.claude/settings.json": text });
    expect(states(hooks)).toEqual(["broken"]);
    expect(hooks.diagnostics[0]).toMatchObject({ code: "BAD_ENTRY", message: expect.stringContaining(problem) });
  });

  test("hooks that were stored under another name are not reported", async () => {
    const text = '{ "_hooks": { "PreToolUse": [] }, "hook": "x", "Notification": true }';
    await using hooks = await opened({ "home/.claude/settings.json": text });
    expect([states(hooks), hooks.codes()]).toEqual([[], []]);
  });

  test("a handler of mcp_tool runs, and fails where its host has no MCP servers [claude.case.101]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({ SessionEnd: [group({ type: "mcp_tool", server: "s", tool: "t" })] }),
    });
    expect(states(hooks)).toEqual(["runs"]);
    await hooks.session.emit("session.end", { reason: "quit" });
    expect(hooks.diagnostics).toMatchObject([{ message: expect.stringContaining("this host runs no MCP servers") }]);
  });

  test("a hook of sub-agents runs [claude.event.SubagentStop]", async () => {
    await using hooks = await opened({ "home/.claude/settings.json": settings({ SubagentStop: "true" }) });
    expect(states(hooks)).toEqual(["runs"]);
    expect(hooks.codes()).toEqual([]);
  });

  test("a plugin's choices are not filled into a shell's text [claude.case.111]", async () => {
    const text = "echo $" + "{user_config.key}";
    await using hooks = await opened({ "home/.claude/settings.json": settings({ PreToolUse: text }) });
    expect(states(hooks)).toEqual(["broken"]);
  });
});

test("a variable that is never set is reported", async () => {
  await using hooks = await opened({
    "home/.claude/settings.json": settings({ PostToolUse: 'prettier --write "$CLAUDE_TOOL_FILE_PATH"' }),
  });
  expect(hooks.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ["LINT", expect.stringContaining("$CLAUDE_TOOL_FILE_PATH, which is never set")],
  ]);
});

describe("switches", () => {
  const deny = (more: object) => settings({ PreToolUse: DENY }, more);

  test("a project's disableAllHooks silences its own hooks [claude.settings.3]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": deny({}),
      "project/.claude/settings.json": settings({ PreToolUse: "true" }, { disableAllHooks: true }),
    });
    expect(await decided(hooks)).toBe("deny");
    expect(states(hooks)).toEqual(["runs", "disabled"]);
  });

  test("a person's silences all but the managed ones, whatever a project says [claude.settings.3] [claude.case.115]", async () => {
    await using hooks = await opened(
      {
        "home/.claude/settings.json": settings({ PreToolUse: "true" }, { disableAllHooks: true }),
        "project/.claude/settings.json": settings({ PreToolUse: "false" }, { disableAllHooks: false }),
        "etc/claude-code/managed-settings.json": deny({}),
      },
      { etc: "etc" },
    );
    expect(states(hooks)).toEqual(["disabled", "disabled", "runs"]);
    expect(await decided(hooks)).toBe("deny");
  });

  test("managed settings may allow managed hooks only [claude.case.117]", async () => {
    await using hooks = await opened(
      {
        "home/.claude/settings.json": deny({}),
        "etc/claude-code/managed-settings.json": settings({ Stop: "true" }, { allowManagedHooksOnly: true }),
      },
      { etc: "etc" },
    );
    expect(states(hooks)).toEqual(["disabled", "runs"]);
  });

  test("the same key elsewhere has no effect and is reported", async () => {
    await using hooks = await opened({ "home/.claude/settings.json": deny({ allowManagedHooksOnly: true }) });
    expect(states(hooks)).toEqual(["runs"]);
    expect(hooks.codes()).toEqual(["LINT"]);
  });
});

describe("permission rules", () => {
  test("deny and ask count beside hooks that allow [claude.case.049] [claude.rules.1]", async () => {
    const allow = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });
    await using hooks = await opened({
      "home/.claude/settings.json": settings(
        { PreToolUse: `echo '${allow}'` },
        { permissions: { deny: ["Bash(rm *)"], ask: ["Bash(git push *)"] } },
      ),
    });
    expect(await decided(hooks, "ls && rm -rf x")).toBe("deny");
    expect(await decided(hooks, "git push origin")).toBe("ask");
    expect(await decided(hooks, "ls")).toBe("allow");
  });

  test.each(["~/", "@~/", `@${homedir()}/`, `file://${homedir()}/`])(
    "hold for a path that begins with %s",
    async (start) => {
      const folder = `/${homedir()}/.secrets`;
      await using hooks = await opened({
        "home/.claude/settings.json": settings({}, { permissions: { deny: [`Read(${folder}/**)`] } }),
      });
      for (const [tool, path] of [
        ["read", `${start}.secrets/key`],
        ["grep", `${start}.secrets`],
        ["ls", `${start}.secrets`],
      ] as const) {
        const call = { toolCallId: "c", tool, args: { path, pattern: "x" } };
        expect([tool, (await hooks.session.emit("tool.before", call)).answer.decision]).toEqual([tool, "deny"]);
      }
    },
  );

  test("a project's rules may refuse and not allow [claude.rules.1]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({}, { permissions: { ask: ["Bash(git *)"] } }),
      "project/.claude/settings.json": settings(
        {},
        { permissions: { allow: ["Bash(git *)"], deny: ["Bash(curl *)"] } },
      ),
    });
    expect(await decided(hooks, "git status")).toBe("ask");
    expect(await decided(hooks, "curl x")).toBe("deny");
    expect(hooks.codes()).toEqual(["LINT"]);
  });

  test("a rule that cannot be read is broken and told, and the others hold", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": settings({}, { permissions: { deny: ["Bash(rm *", "Bash(ls *)"] } }),
    });
    expect(states(hooks)).toEqual(["runs", "broken"]);
    expect(hooks.codes()).toEqual(["BAD_ENTRY"]);
    expect(await decided(hooks, "ls .")).toBe("deny");
  });
});

describe("keys that have no effect", () => {
  const enders = [
    ["Stop", "agent.stop", { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false }],
    ["TaskCompleted", "task.completed", { id: "t1", subject: "s", description: "d" }],
  ] as const;

  test.each(enders)("onFailure never keeps the agent going on %s [claude.failure.3]", async (name, event, told) => {
    const handler = command("exit 3", { onFailure: "block" });
    await using hooks = await opened({ "home/.claude/settings.json": settings({ [name]: [group(handler)] }) });
    expect(hooks.session.report.sources[0]?.onFailure).toContain("continue");
    expect(hooks.diagnostics).toMatchObject([
      { code: "LINT", message: expect.stringContaining(`onFailure has no effect on ${name}`) },
    ]);
    const { answer } = await hooks.session.emit(event, told as never);
    expect(answer).toEqual({});
    expect(hooks.codes()).toContain("FAILED_OPEN");
  });

  test("a matcher on an event without one is named, except one for everything", async () => {
    const on = (matcher: string) => settings({ Stop: [group(command("true"), matcher)] });
    await using named = await opened({ "home/.claude/settings.json": on("Bash") });
    expect(named.diagnostics).toMatchObject([
      { code: "LINT", message: expect.stringMatching(/settings\.json:\d+: a matcher has no effect on Stop/) },
    ]);
    expect(named.session.report.sources.map(({ filter }) => filter)).toEqual([undefined]);
    for (const matcher of ["", "*"]) {
      await using quiet = await opened({ "home/.claude/settings.json": on(matcher) });
      expect(quiet.diagnostics).toEqual([]);
    }
  });

  test("a plugin's timeout does not put off the end of a session [claude.failure.5]", async () => {
    const ends = settings({ SessionEnd: [group(command("true", { timeout: 20 }))] });
    await using hooks = await opened(
      {
        "home/.claude/settings.json": ends,
        "plugin/.claude-plugin/plugin.json": '{"name": "p"}',
        "plugin/hooks/hooks.json": ends,
      },
      { explicit: ["claude:../plugin"] },
    );
    const limits = hooks.session.hooks().map(({ hook }) => [hook.source.path.includes("plugin"), hook.transportMs]);
    expect(limits).toEqual([
      [false, 20_000],
      [true, 1500],
    ]);
    expect(hooks.diagnostics).toMatchObject([
      {
        code: "LIMIT_CLAMPED",
        message: expect.stringMatching(/^timeout of \S+plugin\/hooks\/hooks\.json:\d+ was 20 s and is now 1500 ms$/),
        hint: "A plugin's hooks cannot put off the end of a session.",
      },
    ]);
  });
});

test("of what a failed command wrote, the first line is shown [claude.failure.4]", async () => {
  await using hooks = await opened({
    "home/.claude/settings.json": settings({ PreToolUse: "printf '\\nfirst\\nlast\\n' >&2; exit 3" }),
  });
  await hooks.session.emit("tool.before", bash("ls"));
  expect(hooks.diagnostics.find(({ failure }) => failure)?.failure).toMatchObject({
    what: "exit code 3",
    said: "first",
  });
});
