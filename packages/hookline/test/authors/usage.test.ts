import { afterAll, beforeAll, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(() => {
  desk = new Desk();
});

afterAll(() => desk.remove());

const WRONG: readonly [string, RegExp][] = [
  ["hooks lits", /Did you mean `hookline hooks list`/],
  ["hooks fier", /Did you mean `hookline hooks fire`/],
  ["trust aprove", /Did you mean `hookline trust approve`/],
  ["sessions shwo x", /Did you mean `hookline sessions show`/],
  ["bridge", /`hookline bridge` needs a subcommand\. There are: .*\binstall\b/],
  ["fleet", /`hookline fleet` needs a subcommand\. There are: .*\bjoin\b/],
  ["fleet audti", /Did you mean `hookline fleet audit`/],
  ["hooks list --jsno", /Unknown option: --jsno. Did you mean --json/],
  ["hooks stats --times 3", /--times has no effect on `hookline hooks stats`/],
  ["doctor --payload x", /--payload has no effect on `hookline doctor`/],
  ["hooks explain", /Which event\?/],
  ["hooks explain tool.befor", /no event "tool.befor"\nDid you mean "tool.before"/],
  ["hooks explain tool_call", /no event "tool_call"\nDid you mean "(omp|pi):tool_call"/],
  ["hooks fire", /Which event\?/],
  ["hooks fire pi:tool_cal", /Did you mean "pi:tool_call"/],
  ["hooks fire ip:tool_call", /Did you mean "pi:tool_call"/],
  ["hooks fire jcli:pre_tool_exec", /Did you mean "jcli:pre_tool_execution"/],
  ["hooks fire pi:input --times x", /--times is not a number of times: x/],
  ["hooks fire pi:input --times 0", /whole number from 1/],
  ["hooks list nonsense", /`hookline hooks list` has no use for "nonsense"\. Usage: hookline hooks/],
  ['hooks fire tool.before {"tool":"bash"}', /has no use for .*\[--payload FILE\|-\]/],
  ["doctor my hooks", /`hookline doctor` has no use for "my hooks"/],
  ["hooks init jci", /Did you mean "jcli"\?/],
  ["hooks init zzzz", /Give one of hookline, pi, omp, jcli, chibi/],
  ["--modle x", /^Unknown option: --modle\. Did you mean --model\?\nThere is no `hookline x`/],
  ["schema tool.aftr", /Did you mean "tool.after"/],
  ["schema omp:tool_reslt", /Did you mean "omp:tool_result"/],
  ["sessions show", /Which session\?/],
  ["hooks --dialects cluade", /Did you mean "claude"/],
  ["hooks --dialects zzzzzzzz", /Give one of .*\bpi\b/],
  ["bridge install codex --scope x", /--scope is neither user nor project/],
  ["hooks --cwd nowhere", /--cwd is not a folder: .*nowhere/],
  ["-p --thinking lots go", /--thinking has no level "lots"/],
  ["-p --base-url nothing go", /--base-url is not the URL of a server/],
  ["hooks list --payload", /--payload needs a value/],
];

test.each(WRONG)("`hookline %s` ends with 2 and says what is right", async (line, said) => {
  const { code, err, out } = await desk.hookline(line.split(" "));
  expect(err).toMatch(said);
  expect([code, out]).toEqual([2, ""]);
});

const FAILED: readonly [string, RegExp][] = [
  ["hooks fire pi:input --payload nothing.json", /The payload .*nothing\.json could not be read/],
  ["hooks fire pi:input --payload -", /stdin is not valid JSON/],
  ["trust approve nothing.ts", /nothing\.ts defines no hook of this project/],
  ["trust revoke nothing.ts", /^/],
  ["sessions show 0123", /No session's id starts with "0123"/],
  ["hooks --frozen --cwd broken", /hookline\.lock cannot be read/],
];

test.each(FAILED)("`hookline %s` ends with 1 and says why", async (line, said) => {
  desk.write("broken/hookline.lock", "{}");
  const { code, err } = await desk.hookline(line.split(" "));
  expect(err).toMatch(said);
  expect(code).toBe(1);
});

test("each subcommand has a help of its own, and needs no model, key or project", async () => {
  for (const line of ["hooks", "hooks list", "hooks fire", "trust", "trust approve", "doctor", "schema", "sessions"]) {
    const { code, out, err } = await desk.hookline([...line.split(" "), "--help"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`hookline ${line.split(" ")[0]}`);
    expect(out).toContain("--cwd DIR");
  }
  const fire = await desk.hookline(["hooks", "fire", "--help"]);
  expect(fire.out).toContain("--times");
  expect(fire.out).not.toContain("--resume");
  const agent = await desk.hookline(["help", "options"]);
  expect(agent.out).toContain("--frozen");
  expect(agent.out).not.toMatch(/^ +--payload/m);
});

test("a tool that there is not is named, and those that there are", async () => {
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const args = ["--script", desk.path("script.yaml"), "--tools", "read, raed", "-p", "go"];
  const { out, err, code } = await desk.hookline(args);
  expect(err).toMatch(/--tools names "raed", which is not a tool\. There are: read, bash, /);
  expect([code, out]).toEqual([0, "hello\n"]);
});

test.each([[["-h"]], [["help"]], [["?"]], [["--help"]]])("%j is help", async (args) => {
  const { code, out } = await desk.hookline(args);
  expect(code).toBe(0);
  expect(out).toContain("Commands that most people need");
});

test("help of a subcommand is its own", async () => {
  const one = await desk.hookline(["help", "hooks", "fire"]);
  expect(one.out).toContain("hookline hooks fire");
  expect(one.out).not.toContain("hookline hooks explain EVENT");
  const { out } = await desk.hookline(["help", "hooks"]);
  expect(out).toContain("hookline hooks explain EVENT");
  expect(out).not.toContain("hookline trust approve");
});

test.each([
  ["doctr", "doctor"],
  ["hook list", "hooks list"],
  ["sesions", "sessions"],
  ["trsut approve", "trust approve"],
  ["init", "hooks init"],
  ["test", "hooks test"],
  ["explain", "hooks explain"],
  ["list", "hooks list"],
  ["approve", "trust approve"],
  ["version", "--version"],
  ["hello", undefined],
  ["login", undefined],
  ["explain tool.before", "hooks explain tool.before"],
  ["explain tool.befor", "hooks explain tool.before"],
  ["explain PreToolUse", "hooks explain claude:PreToolUse"],
  ["fire pi:tool_call --tool bash", "hooks fire pi:tool_call"],
  ["help docter", "help doctor"],
  ["help fire", "help hooks fire"],
])("%j is no prompt: it starts nothing and names the nearest command", async (line, meant) => {
  const { code, out, err } = await desk.hookline(["--script", desk.path("none.yaml"), ...line.split(" ")]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(`hookline -p "${line.replace(/ --.*/, "")}"`);
  if (meant === undefined) expect(err).not.toContain("Did you mean");
  else expect(err).toContain(`Did you mean \`hookline ${meant}\`?`);
});

test.each([
  ["explain this"],
  ["hook me up please"],
  ["explain  README.md"],
  ["help  me"],
  ["test  it  please"],
  ["修复"],
  ["ls?"],
])("%j is a prompt", async (prompt) => {
  desk.write("script.yaml", "replies:\n  - { text: hi, repeat: true }\n");
  const { code, out } = await desk.hookline(["--script", desk.path("script.yaml"), ...prompt.split("  ")]);
  expect([code, out]).toEqual([0, "hi\n"]);
});

test("an unknown option is named, and not the prompt that is missing", async () => {
  const { code, err } = await desk.hookline(["--hlep"]);
  expect([code, err]).toEqual([
    2,
    "Unknown option: --hlep. Did you mean --help?\n`hookline help` shows what there is.\n",
  ]);
});

test.each(["{ bad json", '{ "providers": { "mine": { "baseUrl": 5 } } }'])(
  "a models.json that cannot be used is named where no model can be had: %s",
  async (text) => {
    desk.write("~/.hookline/models.json", text);
    const { code, err } = await desk.hookline(["-p", "hi"]);
    expect(code).toBe(1);
    expect(err).toMatch(/models\.json cannot be used \(/);
  },
);

test("an unknown option is named even if no model is available", async () => {
  const { code, err } = await desk.hookline(["--modl", "x", "-p", "hi"], {
    env: { HOOKLINE_HOME: desk.path("nowhere") },
  });
  expect(code).toBe(1);
  expect(err).toMatch(/^Unknown option: --modl\. Did you mean --model\?\nNo model/);
});

test("paths in the list of hooks are as they are seen from here", async () => {
  desk.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
  desk.write("~/.pi/agent/extensions/a.ts", "export default (pi) => pi.on('input', () => {});\n");
  const { out } = await desk.hookline(["hooks"]);
  expect(out).toMatch(/^untrusted .* \.jcli\/hooks\.yaml:2 +stop$/m);
  expect(out).toMatch(/^runs .* ~\/\.pi\/agent\/extensions\/a\.ts +input$/m);
  expect(out).not.toContain(desk.top);
});

test("a prompt that is a subcommand's name is a prompt with -p", async () => {
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const { out, code } = await desk.hookline(["--script", desk.path("script.yaml"), "-p", "doctor"]);
  expect([code, out]).toEqual([0, "hello\n"]);
});

test("an extension may register a flag that only a subcommand has", async () => {
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const ext = desk.write(
    "flag.ts",
    'export default (pi) => { pi.registerFlag("times", { type: "string", description: "d" }); pi.on("input", () => ({ action: "transform", text: String(pi.getFlag("times")) })); };\n',
  );
  const ask = (...more: string[]) =>
    desk.hookline(["--script", desk.path("script.yaml"), "--verbose", ...more, "-p", "x"]);
  const known = await ask("-e", ext, "--times", "seven");
  expect([known.code, known.err]).toEqual([0, expect.stringContaining("seven")]);
  const unknown = await ask("--payload", "x");
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringMatching(/Unknown option: --payload/)]);
});

test("an event that only one dialect has needs no dialect's name", async () => {
  const bare = await desk.hookline(["hooks", "explain", "PreToolUse", "--tool", "Bash", "--json"]);
  const full = await desk.hookline(["hooks", "explain", "claude:PreToolUse", "--tool", "Bash", "--json"]);
  expect(bare.code).toBe(0);
  expect(bare.json).toEqual(full.json);
});
