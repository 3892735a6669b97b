import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import type { Opened, Setting } from "../opened.ts";
import { bash, opened } from "./kit.ts";

const SKILL = "project/.claude/skills/careful/SKILL.md";
const states = ({ session }: Opened): readonly string[] => session.report.sources.map(({ state }) => state);
const reason = async ({ session }: Opened): Promise<unknown> =>
  (await session.emit("tool.before", bash("ls"))).answer.reason;

/** A skill with hooks in its fields. */
function skill(hooks: readonly string[]): string {
  const fields = [
    "---",
    "name: careful",
    "description: Takes care",
    "hooks:",
    ...hooks.map((line) => `  ${line}`),
    "---",
  ];
  return [...fields, "", "Take care.", ""].join("\n");
}

const guard = (command: string, ...more: readonly string[]): string =>
  skill([
    "PreToolUse:",
    "  - matcher: Bash",
    "    hooks:",
    "      - type: command",
    `        command: ${JSON.stringify(command)}`,
    ...more.map((line) => `        ${line}`),
  ]);

async function read({ session, root }: Opened, path = SKILL): Promise<void> {
  await session.emit("tool.after", {
    toolCallId: "r1",
    tool: "read",
    args: { path: join(root, path) },
    content: [{ type: "text", text: "" }],
    isError: false,
    blocked: false,
  });
}

async function call({ session, root }: Opened): Promise<void> {
  const source = join(root, SKILL);
  await session.emit("prompt.expand", { kind: "skill", name: "careful", args: "", source, prompt: "/skill:careful" });
}

describe("hooks of a skill", () => {
  test("run once the skill's file has been read [claude.skills.1]", async () => {
    await using hooks = await opened({ [SKILL]: guard("echo careful >&2; exit 2") });
    expect(await reason(hooks)).toBeUndefined();
    expect(hooks.session.report.searched).toContain(join(hooks.root, "home/.claude/skills"));
    await read(hooks, "project/other.md");
    expect(await reason(hooks)).toBeUndefined();
    await read(hooks);
    expect(await reason(hooks)).toBe("careful");
    expect(hooks.session.report.sources.map(({ line, events, filter }) => ({ line, events, filter }))).toEqual([
      { line: 1, events: ["UserPromptExpansion", "PostToolUse"], filter: "the first use of this skill" },
      { line: 8, events: ["PreToolUse"], filter: "tool_name: Bash and the skill careful in use" },
    ]);
  });

  test.each([
    ["of its file", { path: "project/.claude/skills/careful/SKILL.md" }, "SKILL.md:1: name", "careful"],
    ["of a folder above it", { path: "project" }, ".claude/skills/careful/SKILL.md:1: name", "careful"],
    ["that shows another file", { path: "project" }, "other.md:1: name", undefined],
  ])("run after a search %s [claude.skills.1]", async (_, args, text, expected) => {
    await using hooks = await opened({ [SKILL]: guard("echo careful >&2; exit 2") });
    await hooks.session.emit("tool.after", {
      toolCallId: "r1",
      tool: "grep",
      args: { pattern: "name", path: join(hooks.root, args.path) },
      content: [{ type: "text", text }],
      isError: false,
      blocked: false,
    });
    expect(await reason(hooks)).toBe(expected);
  });

  test("are found behind a line that ends with three dashes", async () => {
    const text = guard("echo careful >&2; exit 2").replace("hooks:", "# --- guards ---\nhooks:");
    await using hooks = await opened({ [SKILL]: text });
    await read(hooks);
    expect(await reason(hooks)).toBe("careful");
  });

  test("run once the skill has been called by its name", async () => {
    await using hooks = await opened({ [SKILL]: guard("echo careful >&2; exit 2") });
    await call(hooks);
    expect(await reason(hooks)).toBe("careful");
  });

  test("of one skill wait for that skill", async () => {
    const other = "project/.claude/skills/deep/other/SKILL.md";
    await using hooks = await opened({
      [SKILL]: guard("echo careful >&2; exit 2"),
      [other]: guard("echo other >&2; exit 2"),
    });
    await read(hooks, other);
    expect(await reason(hooks)).toBe("other");
  });

  test("run in a conversation that has used the skill before", async () => {
    const messages: NonNullable<NonNullable<Setting["scene"]>["messages"]> = () => [
      {
        role: "assistant",
        model: "m",
        provider: "p",
        api: "a",
        content: [{ type: "toolCall", id: "1", name: "read", arguments: { path: ".claude/skills/careful/SKILL.md" } }],
        stopReason: "toolUse",
        timestamp: 1,
      } as never,
    ];
    await using hooks = await opened({ [SKILL]: guard("echo careful >&2; exit 2") }, { scene: { messages } });
    expect(await reason(hooks)).toBe("careful");
  });

  test("with once run a single time", async () => {
    await using hooks = await opened({ [SKILL]: guard("echo . >> runs", "once: true") });
    await call(hooks);
    await reason(hooks);
    await reason(hooks);
    expect(readFileSync(join(hooks.root, "project/runs"), "utf8")).toBe(".\n");
    expect(hooks.codes()).toEqual([]);
  });

  test("of a project need consent", async () => {
    await using hooks = await opened({ [SKILL]: guard("echo careful >&2; exit 2") }, { consent: trustNothing });
    expect(states(hooks)).toEqual(["untrusted", "untrusted"]);
    await call(hooks);
    expect(await reason(hooks)).toBeUndefined();
  });

  test("stay beside the same handler in settings, and know the skill's folder", async () => {
    const command = `echo "$CLAUDE_SKILL_DIR" >> "\${CLAUDE_PROJECT_DIR}/runs"`;
    const same = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] };
    await using hooks = await opened({
      "home/.claude/settings.json": JSON.stringify({ hooks: same }),
      [SKILL]: guard(command),
    });
    await call(hooks);
    await reason(hooks);
    const lines = readFileSync(join(hooks.root, "project/runs"), "utf8").split("\n").sort();
    expect(lines).toEqual(["", "", join(hooks.root, "project/.claude/skills/careful")]);
  });

  test("that are wrong are reported, with their line", async () => {
    await using hooks = await opened({
      [SKILL]: skill(["PreToolUze: []", "PreToolUse:", "  - hooks:", "      - type: comand"]),
      "home/.claude/skills/torn/SKILL.md": "---\nname: torn\nhooks: [\n---\n",
      "home/.claude/skills/plain/SKILL.md": "---\nname: plain\n---\nhooks: none\n",
    });
    expect(hooks.session.report.sources.map(({ path, line, state }) => [path.includes("torn"), line, state])).toEqual([
      [true, expect.any(Number), "broken"],
      [false, 8, "broken"],
    ]);
  });
});

test("hooks of commands and of agents of a plugin are named as ones that never run", async () => {
  const text = guard("touch ran");
  await using hooks = await opened({
    "home/.claude/commands/deep/release.md": text,
    "home/.claude/settings.json": JSON.stringify({ enabledPlugins: { "guard@market": true } }),
    "home/.claude/plugins/cache/market/guard/1/agents/own.md": text,
    "home/.claude/plugins/cache/market/guard/1/skills/own/SKILL.md": text,
  });
  expect(hooks.session.report.sources.map(({ state, reason: why }) => [state, why]).sort()).toEqual([
    ["runs", undefined],
    ["runs", undefined],
    ["unreachable", "an agent of a plugin may not have hooks"],
    ["unreachable", expect.stringContaining("make it a skill")],
  ]);
  await reason(hooks);
  expect(existsSync(join(hooks.root, "project/ran"))).toBe(false);
});

test("a link that leads to a whole disk is reported, and not searched", async () => {
  await using hooks = await opened({ "home/.claude/settings.json": "{}" });
  symlinkSync("/", join(hooks.root, "home/.claude/agents"));
  await hooks.session.load();
  expect(hooks.session.report.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ["UNREADABLE", expect.stringMatching(/\.claude\/agents .*more than 1000 folders/)],
  ]);
});
