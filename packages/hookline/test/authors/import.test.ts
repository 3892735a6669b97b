import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

const LOCAL = ".claude/settings.local.json";
const json = (value: unknown): string => JSON.stringify(value, undefined, 2);
const groups = (event: string, handler: object, matcher?: string): string =>
  json({ hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [handler] }] } });
const flat = (event: string, handler: object): string => json({ version: 1, hooks: { [event]: [handler] } });
const cmd = (command: string, more: object = {}): object => ({ type: "command", command, ...more });

/** Returns the result of importing the hooks of one file, written into the project. */
async function becomes(path: string, text: string): Promise<any[]> {
  desk.write(path, text);
  const { code, json: data } = await desk.hookline(["hooks", "import", "--json"]);
  expect(code).toBe(0);
  return data.files.flatMap((file: any) => file.hooks);
}

describe("hooks import says of", () => {
  test("Claude Code's own settings that they run as they are", async () => {
    expect(await becomes(".claude/settings.json", groups("PreToolUse", cmd("x")))).toEqual([
      { event: "PreToolUse", line: 6, pointer: "/hooks/PreToolUse/0/hooks/0", state: "runs" },
    ]);
  });

  test("those in a folder that CLAUDE_CONFIG_DIR or CODEX_HOME names, and what never fires", async () => {
    const [claude, codex] = [`${desk.home}/elsewhere`, `${desk.home}/other`];
    desk.write("~/elsewhere/settings.json", groups("PermissionDenied", cmd("x")));
    desk.write("~/other/hooks.json", groups("Stop", cmd("./stop.sh")));
    desk.write("~/.claude/settings.json", groups("Stop", cmd("unused")));
    const env = { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex };
    const { json: data } = await desk.hookline(["hooks", "import", "--write", "--json"], { env });
    expect(data.files.map(({ path }: { path: string }) => path)).toEqual([
      `${claude}/settings.json`,
      `${codex}/hooks.json`,
    ]);
    expect(data.files[0].hooks).toMatchObject([{ state: "idle", reason: expect.stringContaining("never fires here") }]);
    expect(desk.read("~/elsewhere/settings.json")).toContain("./stop.sh");
  });

  test("Codex's hooks that they are the same, with patches as edits", async () => {
    const text = groups(
      "PreToolUse",
      cmd("./guard.sh", { timeout: 5, commandWindows: "guard.cmd" }),
      "Bash|apply_patch",
    );
    expect(await becomes(".codex/hooks.json", text)).toMatchObject([
      {
        state: "translated",
        as: "PreToolUse",
        group: { matcher: "Bash|Edit|Write", hooks: [cmd("./guard.sh", { timeout: 5 })] },
        remarks: ["left out: commandWindows"],
      },
    ]);
  });

  test("Qwen Code's hooks that they are the same, with limits in seconds and its tools' names", async () => {
    const text = groups("PreToolUse", cmd("$QWEN_PROJECT_DIR/g.sh", { timeout: 2500 }), "run_shell_command|Edit");
    expect(await becomes(".qwen/settings.json", text)).toMatchObject([
      {
        state: "translated",
        group: { matcher: "Bash|Edit", hooks: [{ command: "$" + "{CLAUDE_PROJECT_DIR}/g.sh", timeout: 2.5 }] },
        remarks: [],
      },
    ]);
  });

  test("Gemini's guards that their programs have to be adapted, with comments and switches in the file", async () => {
    const text = `// mine\n${json({ hooks: { enabled: true, BeforeTool: [{ matcher: "write_file|replace", sequential: true, hooks: [cmd("g // no", { name: "g" })] }] } })}`;
    const [hook] = await becomes(".gemini/settings.json", text);
    expect(hook).toMatchObject({ event: "BeforeTool", as: "PreToolUse", state: "adapt", line: 10 });
    expect(hook.group).toEqual({ matcher: "Write|Edit", hooks: [cmd("g // no")] });
    expect(hook.remarks.at(-1)).toContain("exit code 2 refuses as before");
  });

  test.each([
    ["BeforeModel", "do not see model requests"],
    ["BeforeToolSelection", "do not choose which tools are offered"],
    ["Unheard", "has no known event of this name"],
  ])("Gemini's %s that it must be rewritten", async (event, reason) => {
    expect(await becomes(".gemini/settings.json", groups(event, cmd("x")))).toMatchObject([
      { state: "anew", reason: expect.stringContaining(reason) },
    ]);
  });

  test("Cursor's hooks about one tool which tool that is here", async () => {
    const text = json({
      version: 1,
      hooks: {
        beforeShellExecution: [
          { command: "./.cursor/g.sh", failClosed: true },
          { command: "x", matcher: "curl" },
        ],
        afterFileEdit: [{ command: "fmt", timeout: 3, loop_limit: 2 }],
        beforeMCPExecution: [{ command: "x" }],
      },
    });
    expect(await becomes(".cursor/hooks.json", text)).toMatchObject([
      {
        state: "adapt",
        as: "PreToolUse",
        group: { matcher: "Bash", hooks: [{ command: "./.cursor/g.sh", onFailure: "block" }] },
      },
      { state: "anew", reason: expect.stringContaining('write an "if" rule instead') },
      { state: "translated", as: "PostToolUse", group: { matcher: "Edit|Write", hooks: [{ timeout: 3 }] } },
      { state: "adapt", as: "PreToolUse", group: { matcher: "mcp__.*", hooks: [{ command: "x" }] } },
    ]);
  });

  test("a person's hooks of Cursor that they run in Cursor's folder", async () => {
    const [hook] = await becomes("~/.cursor/hooks.json", flat("stop", { command: "./done.sh" }));
    expect(hook.group.hooks[0].command).toBe(`cd '${desk.path("~/.cursor")}' && ./done.sh`);
  });

  test("Copilot's hooks where they run, with which variables, and that they refuse when they fail", async () => {
    const handler = {
      type: "command",
      bash: "./g.sh",
      powershell: "g.ps1",
      cwd: "it's",
      env: { A: "b c" },
      timeoutSec: 9,
    };
    expect(
      await becomes(".github/hooks/a.json", flat("preToolUse", { ...handler, matcher: "bash|view" })),
    ).toMatchObject([
      {
        state: "adapt",
        group: {
          matcher: "Bash|Read",
          hooks: [{ command: `cd 'it'\\''s' && export A='b c'; ./g.sh`, timeout: 9, onFailure: "block" }],
        },
      },
    ]);
  });

  test.each([
    [".claude/settings.json", { disableAllHooks: true, hooks: { Stop: [{ hooks: [cmd("x")] }] } }],
    [".qwen/settings.json", { disableAllHooks: true, hooks: { Stop: [{ hooks: [cmd("x")] }] } }],
    [".gemini/settings.json", { hooksConfig: { enabled: false }, hooks: { BeforeTool: [{ hooks: [cmd("x")] }] } }],
    [".gemini/settings.json", { hooks: { enabled: false, BeforeTool: [{ hooks: [cmd("x")] }] } }],
  ])("%s that its hooks are switched off, and translates none (%#)", async (path, file) => {
    expect(await becomes(path, json(file))).toMatchObject([{ state: "off" }]);
    expect((await desk.hookline(["hooks", "import", "--json"])).json.targets).toEqual([]);
  });

  test("hooks in Codex's TOML that they are not read", async () => {
    desk.write(".codex/config.toml", '[[hooks.PreToolUse]]\nmatcher = "Bash"\n');
    expect((await desk.hookline(["hooks", "import"])).out).toContain("its hooks are in TOML");
    desk.write(".codex/config.toml", 'model = "hooks"\n');
    expect((await desk.hookline(["hooks", "import"])).out).toBe("Found no hooks of other programs.\n");
  });

  test("Claude Code's shape in Copilot's folder that it is the same", async () => {
    expect(await becomes(".github/hooks/b.json", groups("PreToolUse", cmd("x"), "Bash"))).toMatchObject([
      { state: "translated", group: { matcher: "Bash" } },
    ]);
  });

  test.each([
    [".codex/hooks.json", groups("PreToolUse", cmd("x"), "(a+)+$"), "is an expression"],
    [
      ".qwen/settings.json",
      groups("PreToolUse", cmd("x"), "save_memory"),
      "no tool here is what Qwen Code calls save_memory",
    ],
    [".qwen/settings.json", groups("PreToolUse", { type: "mcp_tool" }), "no handler of type"],
    [".codex/hooks.json", groups("PreToolUse", { type: "command" }), "has no command"],
    [".codex/hooks.json", groups("PreToolUse", cmd("x", { timeout: "5" })), "timeout is not a number"],
  ])("%s what cannot be said in settings (%#)", async (path, text, reason) => {
    expect(await becomes(path, text)).toMatchObject([{ state: "anew", reason: expect.stringContaining(reason) }]);
  });
});

describe("hooks import --write", () => {
  test("shows the same as without it, adds the project's hooks to its local settings, and they run", async () => {
    desk.write(".codex/hooks.json", groups("PreToolUse", cmd("exit 2"), "Bash"));
    const shown = await desk.hookline(["hooks", "import"]);
    expect(existsSync(desk.path(LOCAL))).toBe(false);
    const written = await desk.hookline(["hooks", "import", "--write"]);
    expect(shown.out).toContain(`would be added to ${LOCAL}`);
    expect(written.out).toContain(`added to ${LOCAL}`);
    expect(JSON.parse(desk.read(LOCAL))).toEqual(JSON.parse(groups("PreToolUse", cmd("exit 2"), "Bash")));
    await desk.hookline(["trust", "approve", "--yes"]);
    const fired = await desk.hookline(["hooks", "fire", "tool.before", "--tool", "bash", "--json"]);
    expect(fired.json.outcome).toMatchObject({ decision: "deny" });
  });

  test("writes what is there already no second time", async () => {
    desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
    await desk.hookline(["hooks", "import", "--write"]);
    const first = desk.read(LOCAL);
    expect((await desk.hookline(["hooks", "import", "--write", "--json"])).json.targets).toEqual([]);
    expect(desk.read(LOCAL)).toBe(first);
  });

  test.each([
    ['{\n\t"a": 1.0,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [] }\n\t\t]\n\t},\n\t"10": "\\u00e9", "2": 2\n}'],
    ['{"model":"x","hooks":{}, "z" : [1, 2 ]}'],
    ['{ "hooks": { "PreToolUse": [] } }\n'],
    ['{\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n'],
    ["{}"],
    ["\ufeff{ }"],
    ['{"k": "}{][,\\\\\\"", "hooks": {"Stop": [{"hooks": []}]}, "hooks2": 1}'],
  ])("keeps every key, order and neighbour of a file (%#)", async (before) => {
    desk.write(LOCAL, before);
    chmodSync(desk.path(LOCAL), 0o640);
    const old = JSON.parse(before.replace("\ufeff", ""));
    desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
    expect((await desk.hookline(["hooks", "import", "--write"])).code).toBe(0);
    const after = desk.read(LOCAL);
    const group = { hooks: [cmd("x")] };
    expect(JSON.parse(after.replace("\ufeff", ""))).toEqual({
      ...old,
      hooks: { ...old.hooks, Stop: [...(old.hooks?.Stop ?? []), group] },
    });
    const [was, is] = [before, after].map((text) => text.replace(/\s/g, "")) as [string, string];
    let [head, tail] = [0, 0];
    while (head < was.length && was[head] === is[head]) head++;
    while (tail < was.length && was.at(-1 - tail) === is.at(-1 - tail)) tail++;
    expect(head + tail).toBeGreaterThanOrEqual(was.length);
    expect(after.startsWith("\ufeff")).toBe(before.startsWith("\ufeff"));
    if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(statSync(desk.path(LOCAL)).mode & 0o777).toBe(0o640);
  });

  test.each([["{ not JSON"], ["[]"], ['{"hooks": []}'], ['{"hooks": {"Stop": {}}}']])(
    "leaves a file alone that it cannot add to: %s",
    async (before) => {
      desk.write(LOCAL, before);
      desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
      const { code, err } = await desk.hookline(["hooks", "import", "--write"]);
      expect(code).toBe(1);
      expect(err).toContain("settings.local.json was left as it is");
      expect(desk.read(LOCAL)).toBe(before);
    },
  );

  test("writes a person's hooks to the person's settings, and the project's where --to says", async () => {
    desk.write("~/.codex/hooks.json", groups("Stop", cmd("mine")));
    desk.write(".codex/hooks.json", groups("Stop", cmd("theirs")));
    await desk.hookline(["hooks", "import", "--write", "--to", ".claude/settings.json"]);
    expect(desk.read("~/.claude/settings.json")).toContain('"mine"');
    expect(desk.read(".claude/settings.json")).toContain('"theirs"');
    const refused = await desk.hookline(["hooks", "import", "--write", "--to", desk.path("~/.claude/settings.json")]);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("without your approval") });
  });

  test("writes guards whose programs answer otherwise with --adapted only", async () => {
    desk.write(".gemini/settings.json", groups("BeforeTool", cmd("g")));
    await desk.hookline(["hooks", "import", "--write"]);
    expect(existsSync(desk.path(LOCAL))).toBe(false);
    await desk.hookline(["hooks", "import", "--write", "--adapted"]);
    expect(JSON.parse(desk.read(LOCAL))).toEqual(JSON.parse(groups("PreToolUse", cmd("g"))));
  });

  test("writes through a link, which stays one", async () => {
    desk.write("shared.json", '{"a": 1}\n');
    desk.write(".claude/keep", "");
    symlinkSync(desk.path("shared.json"), desk.path(LOCAL));
    desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
    await desk.hookline(["hooks", "import", "--write"]);
    expect(lstatSync(desk.path(LOCAL)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(desk.read("shared.json"))).toMatchObject({ a: 1, hooks: { Stop: [{}] } });
  });

  test("puts no hook of a project into the person's settings, where a link leads there", async () => {
    desk.write("~/.claude/settings.json", "{}\n");
    desk.write(".claude/keep", "");
    symlinkSync(desk.path("~/.claude/settings.json"), desk.path(LOCAL));
    desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
    const { code, err } = await desk.hookline(["hooks", "import", "--write"]);
    expect(code).toBe(1);
    expect(err).toContain("without your approval");
    expect(desk.read("~/.claude/settings.json")).toBe("{}\n");
  });

  test("is refused inside a session's tool or hook", async () => {
    desk.write(".codex/hooks.json", groups("Stop", cmd("x")));
    const ran = await desk.hookline(["hooks", "import", "--write"], { env: { HOOKLINE_RUN_ID: "r1" } });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("Only a person may set up hooks") });
    expect(existsSync(desk.path(LOCAL))).toBe(false);
  });
});

describe("hooks import names what it cannot read", () => {
  const problemsOf = async (): Promise<string> =>
    JSON.stringify((await desk.hookline(["hooks", "import", "--json"])).json.files.map((file: any) => file.problems));

  test.each([
    ["{", "line 1"],
    ["[]", "not a JSON object"],
    ['{"hooks": 3}', "is not an object"],
    ['{"hooks": {"Stop": {}}}', "is not a list"],
    ['{"hooks": {"Stop": [3]}}', "is not an object"],
    ['{"hooks": {"Stop": [{}]}}', "has no list"],
    [`{"a": "${"x".repeat(9 * 1024 * 1024)}"}`, "larger than 8 MiB"],
    [`${"[".repeat(200_000)}`, "line 1"],
    [`/*${"/*".repeat(200_000)}`, "line 1"],
  ])("a broken file (%#)", async (text, problem) => {
    desk.write(".codex/hooks.json", text);
    expect(await problemsOf()).toContain(problem);
  });

  test("a broken link, a pipe, a folder, and one that may not be read", async () => {
    desk.write(".codex/keep", "");
    symlinkSync(desk.path("nowhere"), desk.path(".codex/hooks.json"));
    desk.write(".gemini/keep", "");
    execFileSync("mkfifo", [desk.path(".gemini/settings.json")]);
    desk.write(".qwen/settings.json/keep", "");
    desk.write(".cursor/hooks.json", "{}");
    chmodSync(desk.path(".cursor/hooks.json"), 0);
    const problems = await problemsOf();
    expect(problems).toContain("a link that leads nowhere");
    expect(problems).toContain("a named pipe");
    expect(problems).toContain("it is a folder");
    if (process.getuid?.() !== 0) expect(problems).toContain("may not read it");
  });

  test("a hostile name only as harmless text", async () => {
    desk.write(".codex/hooks.json", groups("\u001b[2JStop\nruns as it is: x", cmd("x")));
    const { out } = await desk.hookline(["hooks", "import"]);
    expect(out).not.toContain("\u001b");
    expect(out.split("\n").filter((line) => line.trim().startsWith("runs as it is"))).toEqual([]);
  });

  test("nothing where nothing lies", async () => {
    expect(await desk.hookline(["hooks", "import"])).toMatchObject({
      code: 0,
      out: "Found no hooks of other programs.\n",
    });
  });
});
