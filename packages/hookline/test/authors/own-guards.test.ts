import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

const GUARD = ".hookline/guards/no-deleting.ts";

/** A guard that refuses `rm`, with the given cases. */
const guardText = (
  cases: string,
  answer = '{ deny: "no" }',
): string => `import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "no-rm",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (args.command.startsWith("rm ") ? ${answer} : undefined),
  cases: [${cases}],
});
`;
const REFUSED = '{ args: { command: "rm x" }, expect: "deny" }';

describe("hooks init", () => {
  test("without a dialect writes a guard whose cases hold, and which a run shows to be alive", async () => {
    const { out } = await desk.hookline(["hooks", "init"]);
    expect(out).toContain(`written: ${desk.path(GUARD)}`);
    const tested = await desk.hookline(["hooks", "test"]);
    expect(tested.out).toMatch(/no-deleting: rm -rf build\n[\s\S]*4 passed, 0 failed/);
    expect(tested.code).toBe(0);
    await desk.hookline(["trust", "approve", "--yes"]);
    const doctor = await desk.hookline(["doctor"]);
    expect(doctor.out).toMatch(/ok {6}guards +guards 1\/1 alive\n/);
    const listed = await desk.hookline(["hooks"]);
    expect(listed.out).toMatch(/no-deleting\.ts/);
  });
});

describe("hooks test", () => {
  test("runs the cases of each guard alone, and names those that do not hold with their lines", async () => {
    desk.write(GUARD, guardText(`${REFUSED}, { name: "a list", args: { command: "ls" }, expect: "deny" }`));
    desk.write(
      ".hookline/guards/other.js",
      'export default { name: "all", on: "tool.before", run: () => ({ deny: "all" }) };\n',
    );
    const { code, json } = await desk.hookline(["hooks", "test", "--json"]);
    expect(code).toBe(1);
    expect(
      json.files.map(({ path, cases }: any) => [path, cases.map((one: any) => [one.name, one.line, one.ok])]),
    ).toEqual([
      [
        desk.path(GUARD),
        [
          ["no-rm: rm x", 3, true],
          ["no-rm: a list", 3, false],
        ],
      ],
      [desk.path(".hookline/guards/other.js"), []],
    ]);
    expect(json.files[0].cases[1].problems).toEqual(["expected deny, but no hook answered"]);
  });

  test("checks more than a word, and events without a tool", async () => {
    desk.write(
      GUARD,
      `import { guard } from "@hookline/runtime/guard";
export default [
  guard({ name: "a", on: "tool.before", run: () => ({ ask: "Are you sure?" }), cases: [
    { name: "text", expect: { decision: "ask", text: "/are you/i" } },
    { name: "other text", expect: { decision: "ask", text: "never" } },
  ] }),
  guard({ name: "b", on: "prompt.before", run: ({ text }) => ({ text: text.toUpperCase() }), cases: [
    { name: "edit", payload: { text: "hi" }, expect: { edit: { text: "HI" } } },
  ] }),
];
`,
    );
    const { json } = await desk.hookline(["hooks", "test", "--json"]);
    expect(json.files[0].cases.map(({ name, ok }: any) => [name, ok])).toEqual([
      ["a: text", true],
      ["a: other text", false],
      ["b: edit", true],
    ]);
  });

  test("gives JUnit and TAP, and takes a file by name beside one of cases", async () => {
    desk.write(GUARD, guardText(REFUSED));
    desk.write(
      "x.hooks-test.yaml",
      `hooks: ["hookline:${GUARD}"]\ncases: [{ tool: bash, args: { command: rm x }, expect: deny }]\n`,
    );
    const junit = await desk.hookline(["hooks", "test", GUARD, "x.hooks-test.yaml", "--reporter", "junit"]);
    expect(junit.out).toContain('<testsuites name="hookline hooks test" tests="2" failures="0">');
    expect(junit.out).toContain(`name="${GUARD}: no-rm: rm x"`);
    const tap = await desk.hookline(["hooks", "test", GUARD, "--reporter", "tap"]);
    expect(tap.out).toContain(`ok 1 - ${GUARD}: no-rm: rm x`);
  });

  test.each<[string, string, RegExp]>([
    ["does not load", "export default {", /not run: No hook was loaded\. .*no-deleting\.ts: Expected/],
    ["is no guard", "export default 1;", /export 1 is not a guard/],
    [
      "has a malformed case",
      guardText(`${REFUSED}, { expect: "refuse" }`),
      /not run: .*expect of case 2 of guard "no-rm" is not valid/,
    ],
  ])("says so of a file that %s, and fails", async (_, text, says) => {
    desk.write(GUARD, text);
    const { code, out } = await desk.hookline(["hooks", "test"]);
    expect(code).toBe(1);
    expect(out).toMatch(says);
  });

  test("loads nothing of the folder that it does not name", async () => {
    desk.write(GUARD, guardText(REFUSED));
    desk.write(".hookline/guards/z.js", `require("node:fs").writeFileSync(${JSON.stringify(desk.path("ran"))}, "");`);
    expect((await desk.hookline(["hooks", "test", GUARD])).code).toBe(0);
    expect(existsSync(desk.path("ran"))).toBe(false);
  });
});

describe("a run", () => {
  const REPLIES = 'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "touch ran" } }]\n  - text: done\n';
  const go = async (...args: readonly string[]) => {
    desk.write("s.yaml", REPLIES);
    const { code, err } = await desk.hookline(["-p", "--script", desk.path("s.yaml"), ...args, "go"]);
    return { code, err, hasRun: existsSync(desk.path("ran")) };
  };

  test("begins with how many guards are alive", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED));
    desk.write("~/.hookline/guards/b.js", 'export default { name: "silent", on: "tool.before", run() {} };\n');
    const { err, hasRun, code } = await go();
    expect(err.split("\n")[0]).toBe("guards 1/1 alive, 1 untested (silent)");
    expect([hasRun, code]).toEqual([true, 0]);
  });

  test("refuses what a guard that was edited to allow would have judged, and says why", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED, "undefined"));
    const { err, hasRun, code } = await go();
    expect(err).toMatch(
      /guards 0\/1 alive\. no-rm \(.*no-deleting\.ts:3\) does not work: it let its case pass\. What they guard is refused\./,
    );
    expect([hasRun, code]).toEqual([false, 0]);
  });

  test("does not start where such a guard is required", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED, "undefined"));
    desk.write("~/.hookline/settings.json", JSON.stringify({ required: [`~/${GUARD}`] }));
    const { err, hasRun, code } = await go();
    expect(err).toMatch(/The run was not started:\n- .*no-rm does not work: it let its case pass/);
    expect([hasRun, code]).toEqual([false, 1]);
  });

  test("of unapproved guards of a project asks none of their cases", async () => {
    desk.write(GUARD, `require("node:fs").writeFileSync(${JSON.stringify(desk.path("loaded"))}, "");`);
    expect((await go()).err).not.toMatch(/alive/);
    expect(existsSync(desk.path("loaded"))).toBe(false);
  });

  test("asks no guard in shadow, and the trace marks what was asked", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED));
    const { err } = await go("--trace", desk.path("trace.jsonl"));
    expect(err).toContain("guards 1/1 alive");
    const lines = desk
      .read("trace.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ probe }) => probe).map(({ event, hooks }) => [event, hooks.length])).toEqual([
      ["tool.before", 1],
    ]);
    desk.write("~/.hookline/settings.json", JSON.stringify({ shadow: [`~/${GUARD}`] }));
    expect((await go()).err).not.toMatch(/alive/);
  });
});

describe("a hook of another format with a case that says probe: true", () => {
  const settings = (hook: object): string =>
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  const CASES =
    "cases:\n  - { name: deleting, args: { command: rm x }, expect: deny, probe: true }\n  - { args: { command: ls }, expect: none }\n";
  const go = async (...args: readonly string[]) => {
    desk.write(
      "s.yaml",
      'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "touch ran" } }]\n  - text: done\n',
    );
    const { code, err } = await desk.hookline(["-p", "--script", desk.path("s.yaml"), ...args, "go"]);
    return { code, err, hasRun: existsSync(desk.path("ran")) };
  };
  const GOOD = "if grep -q 'rm x'; then echo no >&2; exit 2; fi";

  test("is alive if its program refuses the case", async () => {
    desk.write("~/.claude/settings.json", settings({ type: "command", command: GOOD }));
    desk.write("~/.claude/settings.hooks-test.yaml", CASES);
    const { err, hasRun, code } = await go();
    expect(err).toContain("guards 1/1 alive\n");
    expect([hasRun, code]).toEqual([true, 0]);
  });

  test.each<[string, string, RegExp]>([
    ["its interpreter is missing", "no-such-interpreter guard.py", /it failed at its case "deleting": /],
    ["it was edited to allow", "cat > /dev/null", /it let its case "deleting" pass/],
    ["it hangs", "sleep 60", /its case "deleting"/],
  ])("where %s, its calls are refused before the first one runs", async (_, command, says) => {
    desk.write("~/.claude/settings.json", settings({ type: "command", command, timeout: 1 }));
    // Without the case nobody notices.
    expect(await go()).toMatchObject({ hasRun: true, code: 0 });
    rmSync(desk.path("ran"));
    desk.write("~/.claude/settings.hooks-test.yaml", CASES);
    const { err, hasRun } = await go();
    expect(hasRun).toBe(false);
    expect(err).toMatch(says);
    expect(err).toMatch(/guards 0\/1 alive/);
    const doctor = await desk.hookline(["doctor"]);
    expect(doctor.out).toMatch(/BROKEN {2}guards +guards 0\/1 alive/);
  });

  test("that is edited while a session runs is asked again before the next call", async () => {
    const script = desk.write("~/checks/guard.sh", GOOD);
    desk.write("~/.claude/settings.json", settings({ type: "command", command: `sh ${script}` }));
    desk.write("~/.claude/settings.hooks-test.yaml", CASES);
    // A program that was there before changes the guard: no guard sees what it does.
    desk.write("tool.sh", `cp ${desk.path("good.sh")} ${script}; [ "$1" = back ] || : > ${script}; touch "ran-$1"`);
    desk.write("good.sh", GOOD);
    const calls = ["sh tool.sh edit", "touch second", "rm x"].map((command) => ({
      name: "bash",
      arguments: { command },
    }));
    const replies = calls.map((one) => ({ toolCalls: [one] }));
    desk.write("s.yaml", JSON.stringify({ replies: [...replies, { text: "done" }] }));
    const { err } = await desk.hookline(["-p", "--script", desk.path("s.yaml"), "go"]);
    expect(err).toMatch(/guards 1\/1 alive\n[\s\S]*it let its case "deleting" pass/);
    expect([existsSync(desk.path("ran-edit")), existsSync(desk.path("second"))]).toEqual([true, false]);
  });

  test("is asked over no network, and no model is", async () => {
    desk.write("~/.claude/settings.json", settings({ type: "http", url: "http://127.0.0.1:9/x" }));
    desk.write("~/.claude/settings.hooks-test.yaml", CASES);
    expect((await go()).err).not.toMatch(/alive/);
    desk.write("~/.claude/settings.json", settings({ type: "prompt", prompt: "Is it bad?" }));
    expect((await go()).err).not.toMatch(/alive/);
  });

  test("loads nothing that the file names, and a broken file is told", async () => {
    desk.write("~/.claude/settings.json", settings({ type: "command", command: GOOD }));
    desk.write("x.js", `require("node:fs").writeFileSync(${JSON.stringify(desk.path("loaded"))}, "");`);
    desk.write("~/.claude/settings.hooks-test.yaml", `hooks: ["pi:${desk.path("x.js")}"]\n${CASES}`);
    expect((await go()).err).toContain("guards 1/1 alive");
    expect(existsSync(desk.path("loaded"))).toBe(false);
    desk.write(
      "~/.claude/settings.hooks-test.yaml",
      "cases: [{ args: { command: rm x }, expect: none, probe: true }]\n",
    );
    expect((await go()).err).toMatch(/settings\.hooks-test\.yaml:1: a case with "probe: true" must be about/);
  });

  test("is asked its good cases beside several wrong ones", async () => {
    desk.write("~/.claude/settings.json", settings({ type: "command", command: GOOD }));
    const wrong = "  - { args: { command: ls }, expect: none, probe: true }\n";
    desk.write("~/.claude/settings.hooks-test.yaml", `${CASES}${wrong}${wrong}`);
    const { err } = await go();
    expect(err).toMatch(/settings\.hooks-test\.yaml:1: a case with "probe: true" must be about/);
    expect(err).toContain("guards 1/1 alive");
  });

  test("in a project is covered by the approval of its hook", async () => {
    desk.write(".claude/settings.json", settings({ type: "command", command: GOOD }));
    desk.write(".claude/settings.hooks-test.yaml", CASES);
    expect((await go()).err).not.toMatch(/alive/);
    await desk.hookline(["trust", "approve", "--yes"]);
    expect((await go()).err).toContain("guards 1/1 alive");
    desk.write(".claude/settings.hooks-test.yaml", CASES.replace("rm x", "rm y"));
    const { err } = await go();
    expect(err).not.toMatch(/alive/);
    expect(err).toMatch(/changed after it was approved|not been approved|wait/);
  });
});

describe("hooks export claude", () => {
  const payload = (command: string) =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s",
      transcript_path: "/x",
      cwd: "/",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command },
    });

  test("prints settings whose command refuses what the guard refuses, in Claude Code's words", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED));
    const { json } = await desk.hookline(["hooks", "export", "claude", "no-rm"]);
    const path = desk.path(`~/${GUARD}`);
    const entry = {
      matcher: "Bash|Monitor",
      hooks: [{ type: "command", command: `hookline hooks answer claude '${path}' 'no-rm'` }],
    };
    expect(json).toEqual({ hooks: { PreToolUse: [entry], PreSkillShellCommand: [entry] } });
    const words = ["hooks", "answer", "claude", path, "no-rm"];
    const refused = await desk.hookline(words, { stdin: payload("rm x") });
    expect(refused.json.hookSpecificOutput).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "no",
    });
    const passed = await desk.hookline(words, { stdin: payload("ls") });
    expect([passed.code, passed.out]).toEqual([0, ""]);
  });

  test.each<[string, string, string, string, RegExp]>([
    ["for a file that is not there", "absent.ts", "no-rm", payload("ls"), /could not be asked: /],
    ["for another name", GUARD, "other", payload("ls"), /has no guard of this name/],
    ["an event that is not JSON", GUARD, "no-rm", "{", /could not be asked: /],
    ["an event of another program", GUARD, "no-rm", "{}", /not an event of Claude Code/],
  ])("refuses %s", async (_, file, name, stdin, says) => {
    desk.write(GUARD, guardText(REFUSED));
    const { code, err } = await desk.hookline(["hooks", "answer", "claude", desk.path(file), name], { stdin });
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  test("says which guards there are", async () => {
    desk.write(`~/${GUARD}`, guardText(REFUSED));
    const { code, err } = await desk.hookline(["hooks", "export", "claude", "no-rn"]);
    expect([code, err]).toEqual([1, 'No guard that runs here is called "no-rn". Did you mean "no-rm"?\n']);
    expect((await desk.hookline(["hooks", "export"])).code).toBe(2);
  });
});
