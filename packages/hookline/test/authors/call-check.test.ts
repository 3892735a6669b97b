import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Desk, guards } from "./desk.ts";

let desk: Desk;

beforeAll(() => {
  desk = new Desk();
  guards(desk);
  desk.write("g.ts", "export default (pi) => { pi.on('tool_call', () => undefined); };");
  desk.write(
    "~/.claude/settings.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "true" }] }] } }),
  );
});

afterAll(() => desk.remove());

describe("hooks fire refuses a call that no tool could have, with the nearest name", () => {
  test.each<[string, object, RegExp]>([
    ["claude:PreToolUse", { tool_input: { comand: "ls" } }, /Bash has no argument "comand"\. Did you mean "command"/],
    ["claude:PreToolUse", { tool_name: "bash" }, /no tool "bash"\. Did you mean "Bash"/],
    ["claude:PreToolUse", { tool_name: "Bsh" }, /no tool "Bsh"\. Did you mean "Bash"/],
    [
      "claude:PostToolUse",
      { tool_name: "Edit", tool_input: { file_pth: "x" } },
      /Edit has no argument "file_pth"\. Did you mean "file_path"/,
    ],
    ["pi:tool_call", { toolName: "Bash" }, /no tool "Bash"\. Did you mean "bash"/],
    ["pi:tool_call", { input: { comand: "ls" } }, /bash has no argument "comand"/],
    ["omp:tool_call", { input: { comand: "ls" } }, /bash has no argument "comand"/],
    ["jcli:pre_tool_execution", { tool_arguments: '{"comand":"ls"}' }, /Bash has no argument "comand"/],
    ["chibi:pre_tool", { arguments: { comand: "ls" } }, /has no argument "comand"/],
    ["tool.before", { args: { comand: "ls" } }, /bash has no argument "comand"/],
    ["tool.before", { tool: "Bash" }, /no tool "Bash"\. Did you mean "bash"/],
  ])("%s %o", async (event, payload, says) => {
    const { code, err } = await desk.hookline(["hooks", "fire", event, "--payload", "-"], {
      stdin: JSON.stringify(payload),
    });
    expect(err).toMatch(says);
    expect(code).toBe(2);
  });

  test.each<[string, object]>([
    ["claude:PreToolUse", { tool_name: "mcp__db__drop", tool_input: { any: 1 } }],
    ["claude:PreToolUse", { tool_name: "Bash", tool_input: { command: "ls", description: "d", timeout: 1000 } }],
    ["claude:PreToolUse", { tool_name: "NotebookEdit", tool_input: { notebook_path: "x", cell: 1 } }],
    ["claude:PreToolUse", { tool_name: "MultiEdit", tool_input: { file_path: "x", edits: [] } }],
    ["pi:tool_call", { toolName: "read", input: { file_path: "x" } }],
    ["tool.before", { tool: "task", args: { description: "d", prompt: "p" } }],
  ])("takes %s %o", async (event, payload) => {
    const ran = await desk.hookline(["hooks", "fire", event, "--payload", "-"], { stdin: JSON.stringify(payload) });
    expect([ran.code, ran.err]).toEqual([0, ""]);
  });
});

test("a sample has the arguments that the tool needs, whichever name it is given", async () => {
  const input = async (tool: string): Promise<unknown> => {
    const { out } = await desk.hookline(["hooks", "fire", "claude:PostToolUse", "--tool", tool]);
    return JSON.parse(/with (\{.*\})$/m.exec(out)?.[1] ?? "{}").tool_input;
  };
  const edit = { file_path: "notes.txt", old_string: "Hello", new_string: "Hi", replace_all: false };
  expect(await input("Edit")).toEqual(edit);
  expect(await input("edit")).toEqual(edit);
  expect(await input("NotebookEdit")).toEqual({ notebook_path: "sample" });
});

test("a hook that is skipped is shown with the reason", async () => {
  const args = ["hooks", "fire", "claude:PreToolUse", "--tool", "Bash"];
  expect((await desk.hookline(args)).out).toMatch(/skipped .*\n +why: its filter does not match: tool_name: Edit/);
  const { json } = await desk.hookline([...args, "--json"]);
  expect(json.hooks).toMatchObject([{ status: "skipped", why: "its filter does not match: tool_name: Edit" }]);
});

test("a case fails for a tool or an argument that does not exist, whatever it expects", async () => {
  desk.write(
    "a.hooks-test.yaml",
    [
      "hooks: [pi:g.ts]",
      "cases:",
      "  - { event: pi:tool_call, tool: Bash, expect: none }",
      "  - { tool: bsh, expect: none }",
      "  - { tool: bash, args: { comand: rm }, expect: allow }",
      "  - { event: pi:tool_call, payload: { input: { comand: rm } }, expect: none }",
      "  - { tool: bash, args: { command: ls }, expect: none }",
    ].join("\n"),
  );
  const { json, code } = await desk.hookline(["hooks", "test", "--json"]);
  expect(code).toBe(1);
  const cases = json.files[0].cases as readonly { readonly ok: boolean; readonly problems: readonly string[] }[];
  expect(cases.map(({ ok }) => ok)).toEqual([false, false, false, false, true]);
  expect(cases.flatMap(({ problems }) => problems).join("\n")).toMatch(
    /no tool "Bash".*"bash"\?\n.*no tool "bsh".*"bash"\?\n.*no argument "comand".*\n.*no argument "comand"/,
  );
});

test("hooks import says of a hook that is read and cannot run why, as the list does", async () => {
  const own = new Desk();
  const group = (matcher: string): object => ({ matcher, hooks: [{ type: "command", command: "true" }] });
  own.write(
    "~/.claude/settings.json",
    JSON.stringify(
      { hooks: { PreToolUse: [group("bash"), group("Bash")], PreTooluse: [group("Bash")] } },
      undefined,
      1,
    ),
  );
  const { hooks } = (await own.hookline(["hooks", "import", "--json"])).json.files[0];
  own.remove();
  expect(hooks).toMatchObject([
    { state: "idle", reason: expect.stringMatching(/case-sensitive.*Did you mean "Bash"/) },
    { state: "runs" },
    {
      state: "idle",
      reason: expect.stringMatching(/"PreTooluse" is not known to hookline.*Did you mean "PreToolUse"/),
    },
  ]);
});
