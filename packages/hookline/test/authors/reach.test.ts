import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claudeTools } from "../../../integrations/src/claude/tools.ts";
import { BUILTIN } from "../../src/tool/names.ts";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

interface Entry {
  readonly event?: string;
  readonly matcher?: string;
  readonly if?: string;
  readonly command?: string;
}

interface Listed {
  readonly line?: number;
  readonly state: string;
  readonly reach?: string;
  readonly reason?: string;
  readonly remedy?: string;
  readonly absent?: string;
  readonly notes?: readonly string[];
}

/** A settings file with a handler on each line, in their order from line 2. */
function settings(entries: readonly Entry[]): string {
  const byEvent = Map.groupBy(entries, ({ event = "PreToolUse" }) => event);
  const groups = [...byEvent].map(([event, ones]) => {
    const lines = ones.map(({ matcher, if: rule, command = "true" }) =>
      JSON.stringify({
        ...(matcher !== undefined && { matcher }),
        hooks: [{ type: "command", command, ...(rule !== undefined && { if: rule }) }],
      }),
    );
    return `${JSON.stringify(event)}:[\n${lines.join(",\n")}]`;
  });
  return `{"hooks":{${groups.join(",\n")}}}`;
}

async function listed(): Promise<readonly Listed[]> {
  const { json } = await desk.hookline(["hooks", "list", "--json"]);
  return json.sources.filter(({ kind }: { readonly kind?: string }) => kind === undefined);
}

const NAMES = Object.keys(claudeTools.tools);

describe("a matcher's hook is listed as one that runs", () => {
  test("exactly if a call of some tool would start it: every known name, as matcher and as rule", async () => {
    const entries: Entry[] = NAMES.flatMap((name): Entry[] => [
      { matcher: name },
      { matcher: `^${name}$` },
      { if: name },
      { matcher: "Bash|Edit", if: name },
    ]);
    desk.write("~/.claude/settings.json", settings(entries));
    const sources = await listed();
    const started = new Set<number>();
    for (const tool of Object.keys(BUILTIN)) {
      const { json } = await desk.hookline(["hooks", "explain", "claude:PreToolUse", "--tool", tool, "--json"]);
      for (const { source } of json.plan) started.add(Number(/:(\d+)$/.exec(source)?.[1]));
    }
    const runs = sources.filter(({ state }) => state === "runs").map(({ line }) => line as number);
    expect(sources).toHaveLength(entries.length);
    expect(runs).toEqual([...started].sort((a, b) => a - b));
    expect(runs.length).toBeGreaterThan(20);
    for (const { state, reason, remedy } of sources)
      if (state !== "runs")
        expect([state, reason, remedy]).toEqual(["unreachable", expect.any(String), expect.any(String)]);
  });

  test.each<[string, Entry, Partial<Listed>]>([
    ["a tool that is not here", { matcher: "MultiEdit" }, { state: "unreachable", remedy: 'Did you mean "Edit"?' }],
    ["a notebook", { matcher: "NotebookEdit" }, { state: "unreachable", remedy: 'Did you mean "Edit"?' }],
    ["another case", { matcher: "bash" }, { state: "unreachable", remedy: 'Did you mean "Bash"?' }],
    ["choices of an expression, all dead", { matcher: "^(MultiEdit|Notebook.*)$" }, { state: "unreachable" }],
    [
      "one living choice",
      { matcher: "Bash|MultiEdit" },
      { state: "runs", notes: [expect.stringMatching(/"MultiEdit" in .*Did you mean "Edit"/)] },
    ],
    [
      "one living choice of an expression",
      { matcher: "^(Edit|KillShell)$" },
      { state: "runs", notes: [expect.stringContaining('"^KillShell$"')] },
    ],
    [
      "a rule for another tool",
      { matcher: "Edit", if: "Bash(rm:*)" },
      { state: "unreachable", remedy: 'Write "matcher": "Bash".' },
    ],
    ["a rule for a tool that is not here", { if: "WebFetch(domain:a.b)" }, { state: "unreachable" }],
    ["a rule for its tool", { matcher: "Edit|Bash", if: "Bash(rm:*)" }, { state: "runs" }],
    ["an event without tools", { event: "UserPromptSubmit", matcher: "MultiEdit" }, { state: "runs" }],
    ["any tool", { matcher: "*" }, { state: "runs" }],
    [
      "no server of this name",
      { matcher: "mcp__gihub__delete" },
      { state: "unreachable", reason: expect.stringContaining('no server "gihub"') },
    ],
    ["servers, where there is none", { matcher: "^mcp__.*" }, { state: "unreachable" }],
  ])("%s", async (_, entry, expected) => {
    desk.write("~/.claude/settings.json", settings([entry]));
    expect(await listed()).toEqual([expect.objectContaining(expected)]);
  });

  test("a tool that a setting or an extension brings", async () => {
    desk.write("~/.claude/settings.json", settings([{ matcher: "TodoWrite" }, { matcher: "deploy" }]));
    const states = async (): Promise<string[]> =>
      (await listed()).flatMap(({ line, state }) => (line === undefined ? [] : [state]));
    expect(await states()).toEqual(["unreachable", "unreachable"]);
    desk.write("~/.hookline/settings.json", '{"todo.enabled":true}');
    desk.write(
      "~/.pi/agent/extensions/deploy.ts",
      'export default (pi) => pi.registerTool({ name: "deploy", label: "d", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) });',
    );
    expect(await states()).toEqual(["runs", "runs"]);
  });

  test("a tool of a server is judged by what the server listed when it was last started, and else not known", async () => {
    const server = desk.write(
      "server.mjs",
      `import { createInterface } from "node:readline";
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") send(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list") send(id, { tools: [{ name: "drop", inputSchema: { type: "object" } }] });
  else if (id !== undefined) send(id, {});
}`,
    );
    desk.write(
      "~/.hookline/mcp.json",
      JSON.stringify({ mcpServers: { db: { command: process.execPath, args: [server] } } }),
    );
    const names = ["mcp__db__drop", "mcp__db__dorp", "mcp__db__.*", "mcp__other__.*", "^Note"];
    desk.write("~/.claude/settings.json", settings(names.map((matcher) => ({ matcher }))));
    desk.write(
      "~/.jdata/agent/hooks.yaml",
      ["drop", "dorp"]
        .map((name) => `  - { command: 'true', filter: { tool_name: mcp__db__${name} } }`)
        .reduce((all, entry) => `${all}\n${entry}`, "pre_tool_execution:"),
    );
    const states = async () => (await listed()).map(({ state, reach }) => reach ?? state);
    const jcli = ["unknown", "unknown"];
    expect(await states()).toEqual([...jcli, "unknown", "unknown", "unknown", "none", "none"]);
    expect((await desk.hookline(["hooks"])).out).toMatch(/^not known +claude +user .*settings\.json:2 +PreToolUse/m);
    await desk.hookline(["mcp", "list"]);
    expect(await states()).toEqual(["runs", "none", "runs", "none", "runs", "none", "none"]);
  });
});

test("rules of permissions that no call can meet are named, each with the nearest name", async () => {
  desk.write(
    "~/.claude/settings.json",
    JSON.stringify({ permissions: { deny: ["Bash(rm *)", "mcp__gihub__delete", "NotebookEdit", "WebFetch"] } }),
  );
  const [rules] = await listed();
  expect(rules).toMatchObject({ state: "runs", filter: "permission rules" });
  expect(rules?.notes).toEqual([
    expect.stringMatching(/"mcp__gihub__delete" in permissions\.deny matches no tool: no server "gihub" is configured/),
    expect.stringMatching(/"NotebookEdit" in permissions\.deny .*Did you mean "Edit"/),
    expect.stringMatching(/"WebFetch" in permissions\.deny matches no tool of this agent/),
  ]);
});

test("j-cli's filters are judged alike", async () => {
  desk.write(
    "~/.jdata/agent/hooks.yaml",
    [
      "pre_tool_execution:",
      "  - { command: 'true', filter: { tool_matcher: Bash|Shell } }",
      "  - { command: 'true', filter: { tool_name: Shell } }",
      "  - { command: 'true', filter: { tool_name: bash } }",
      "  - { command: 'true', filter: { tool_name: mcp__a__b } }",
    ].join("\n"),
  );
  expect((await listed()).map(({ state, notes }) => [state, notes?.length ?? 0])).toEqual([
    ["runs", 1],
    ["unreachable", 0],
    ["runs", 0],
    ["unreachable", 0],
  ]);
});

describe("a script or program that is not there", () => {
  test.each([
    ["a script", '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh'],
    ["the script of an interpreter", "bash .claude/hooks/guard.sh"],
    ["with options", "python3 -u ./guard.py --strict"],
    ["behind a wrapper", "timeout 5 node hooks/guard.mjs"],
    ["below the home", "~/.claude/guard.sh"],
    ["after another command", "true; ./guard.sh"],
    ["a program", "gurad-nobody-has --check"],
    ["a misspelt interpreter", "pyhton3 there.py"],
    ["a script without its bit", "./there.py"],
    ["a folder", "./folder"],
  ])("%s: is named, and the hook is not listed as one that runs", async (_, command) => {
    desk.write("there.py", "");
    desk.write("folder/x", "");
    desk.write(".claude/settings.json", settings([{ matcher: "Bash", command }]));
    await desk.hookline(["trust", "approve", "--yes"]);
    expect(await listed()).toEqual([
      expect.objectContaining({
        state: "broken",
        absent: expect.stringMatching(/is not there|is not executable|is a folder|in no folder of PATH/),
      }),
    ]);
  });

  test.each([
    ["a script that is there", "bash there.sh"],
    ["one that may be looked for", "[ -x ./guard.sh ] && ./guard.sh"],
    ["a branch", "if test -f guard.sh; then bash guard.sh; fi"],
    ["a program that is looked for", "command -v gurad >/dev/null || exit 0; gurad"],
    ["another folder", "cd sub && ./guard.sh"],
    ["a file that it makes", "echo exit 0 > made.sh; bash made.sh"],
    ["a computed name", 'bash "$WHERE/guard.sh"'],
    ["an argument", "cat ./guard.sh"],
    ["code", 'node -e "1" ./guard.mjs'],
    ["a module", "python3 -m guard"],
    ["a script without its end", "node there"],
    ["a function", "guard() { :; }; guard"],
    ["a builtin", ": > made.txt"],
  ])("%s: nothing is said", async (_, command) => {
    desk.write("there.sh", "exit 0\n");
    desk.write("there.js", "");
    desk.write("~/.claude/settings.json", settings([{ matcher: "Bash", command }]));
    await desk.hookline(["trust", "approve", "--yes"]);
    expect(await listed()).toEqual([expect.objectContaining({ state: "runs" })]);
  });

  test("is named when the hook is approved, and asked about all the same", async () => {
    desk.write(".claude/settings.json", settings([{ matcher: "Bash", command: "bash ./guard.sh" }]));
    const { out } = await desk.hookline(["trust", "approve", "--yes"]);
    expect(out).toContain("the script ./guard.sh is not there. Correct the command");
    const { json } = await desk.hookline(["hooks", "fire", "claude:PreToolUse", "--tool", "bash", "--json"]);
    expect(json.hooks).toMatchObject([{ status: "failed" }]);
  });
});

describe("what never matches, and scripts that are not there, fail --strict and doctor", () => {
  const BAD = settings([{ matcher: "MultiEdit" }, { command: "bash ./gone.sh" }]);
  const HOOKS = "pre_tool_execution:\n  - { command: 'true', filter: { tool_name: Shell } }\n";

  test.each<[string, string, string, boolean]>([
    ["of the project", ".claude/settings.json", BAD, true],
    ["of hookline's own file", "~/.hookline/hooks.yaml", HOOKS, true],
    ["but not of a person's settings of another program", "~/.claude/settings.json", BAD, false],
    ["nor of another one", "~/.jdata/agent/hooks.yaml", HOOKS, false],
  ])("%s", async (_, path, text, fails) => {
    desk.write(path, text);
    await desk.hookline(["trust", "approve", "--yes"]);
    expect((await desk.hookline(["hooks", "list", "--strict"])).code).toBe(fails ? 1 : 0);
    const { json } = await desk.hookline(["doctor", "--json"]);
    const checks = json.checks as readonly { readonly name: string; readonly ok: boolean }[];
    expect(checks.some(({ name, ok }) => !ok && /hooks/.test(name))).toBe(fails);
    expect(checks.some(({ name, ok }) => ok && name === "idle hooks")).toBe(!fails);
  });
});
