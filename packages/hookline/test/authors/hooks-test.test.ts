import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk, guards } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

const CASES = "guard.hooks-test.yaml";

async function testing(text: string, ...args: readonly string[]) {
  desk.write(CASES, text);
  return desk.hookline(["hooks", "test", ...args]);
}

/** The problems of each case, by its name. */
async function problemsOf(text: string, ...args: readonly string[]): Promise<Record<string, string[]>> {
  const { json } = await testing(text, "--json", ...args);
  const [file] = json.files;
  expect(file.problems).toEqual([]);
  return Object.fromEntries(file.cases.map((one: { name: string; problems: string[] }) => [one.name, one.problems]));
}

describe("hooks test", () => {
  test("asks the hooks of the place over their transports, in the words of every dialect", async () => {
    guards(desk);
    const rows = ["tool.before", "jcli:pre_tool_execution", "chibi:pre_tool", "omp-hooks:tool_call", "pi:tool_call"];
    const { code, out } = await testing(
      `cases:\n${rows
        .map(
          (event) =>
            `  - { event: "${event}", tool: bash, table: [[args.command, expect], [rm x, deny], [ls, allow]] }`,
        )
        .join("\n")}\n`,
    );
    expect(out).toContain("10 passed, 0 failed");
    expect(code).toBe(0);
  });

  test("runs nothing of the folder that a file does not name, and counts no answer of it", async () => {
    const touch = (name: string): string => `touch ${desk.path(`ran-${name}`)}`;
    desk.write(".jcli/hooks.yaml", `pre_tool_execution: [{ command: "${touch("jcli")}; exit 1", on_error: abort }]`);
    const command = { type: "command", command: `${touch("claude")}; exit 2` };
    desk.write(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [command] }] } }));
    const module = (name: string): string =>
      `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(desk.path(`ran-${name}`))}, "");
export default (api) => { api.on("tool_call", () => ({ block: true, reason: "no" })); };`;
    desk.write(".pi/extensions/x.ts", module("pi"));
    desk.write(".omp/hooks/pre/x.ts", module("omp"));
    desk.write(".hookline/extensions/x.ts", module("own"));
    desk.write(".hookline/plugins/x", `#!/bin/sh\n${touch("chibi")}\n`, "x");
    desk.write("g.ts", `export default (pi) => { pi.on("tool_call", () => undefined); };`);
    const cases = "cases: [{ name: calm, tool: bash, args: { command: ls }, expect: none }]";
    for (const flags of [[], ["--no-hooks"], ["--trust-project"], ["--coverage"]]) {
      const { out } = await testing(`hooks: [pi:g.ts]\n${cases}`, ...flags);
      expect(out).toContain("1 passed, 0 failed");
    }
    expect(readdirSync(desk.cwd).filter((name) => name.startsWith("ran-"))).toEqual([]);
    // A guard that refuses nothing does not pass because another one of the folder would refuse.
    const red = await testing("hooks: [pi:g.ts]\ncases: [{ tool: bash, args: { command: ls }, expect: deny }]");
    expect(red.out).toContain("0 passed, 1 failed");
  });

  test("says of each case that comes out otherwise what came, with the reason", async () => {
    guards(desk);
    const { code, out } = await testing(
      `cases:
  - { name: wrong way, tool: bash, args: { command: rm x }, expect: allow }
  - { name: too hopeful, tool: bash, args: { command: ls }, expect: deny }
  - { name: says nothing, tool: bash, args: { command: ls }, expect: none }
`,
    );
    expect(code).toBe(1);
    expect(out).toMatch(/FAILED .* wrong way \(line 2\)\n +expected allow, but it is refused: .*no/);
    expect(out).toMatch(/FAILED .* too hopeful \(line 3\)\n +expected deny, but no hook answered/);
    expect(out).toContain("1 passed, 2 failed");
  });

  test("compares texts, edits, answers and who answered", async () => {
    desk.write(
      "hooks/edit.ts",
      `export default (pi) => { pi.on("tool_call", (e) => { if (e.input.command === "ls") e.input.command = "ls -l"; else if (e.input.command === "rm") return { block: true, reason: "use trash" }; }); };\n`,
    );
    expect(
      await problemsOf(`hooks: [pi:hooks/edit.ts]
cases:
  - { name: edits, event: tool.before, tool: bash, args: { command: ls }, expect: { decision: edit, edit: { args.command: ls -l } } }
  - { name: edits its own, event: "pi:tool_call", payload: { input: { command: ls } }, expect: { edit: { input.command: ls -l } } }
  - { name: other edit, tool: bash, args: { command: ls }, expect: { edit: { args.command: ls -a } } }
  - { name: text, tool: bash, args: { command: rm }, expect: { decision: deny, text: trash, by: edit.ts } }
  - { name: pattern, tool: bash, args: { command: rm }, expect: { text: /^USE/i } }
  - { name: other text, tool: bash, args: { command: rm }, expect: { text: shred, by: other.ts } }
  - { name: answer, tool: bash, args: { command: rm }, expect: { answer: { decision: deny } } }
`),
    ).toEqual({
      edits: [],
      "edits its own": [],
      "other edit": ['expected args.command to be "ls -a", but it is "ls -l"'],
      text: [],
      pattern: [],
      "other text": [
        'expected the text "shred", but there is "use trash"',
        expect.stringMatching(/^expected an answer of other\.ts, but .*edit\.ts.* answered$/),
      ],
      answer: [],
    });
  });

  test("is never green for a hook that fails, or is not there", async () => {
    desk.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: node .jcli/gone.mjs\n    on_error: abort\n");
    const text = "cases:\n  - { name: refuses, tool: bash, args: { command: rm }, expect: deny }\n";
    const unapproved = await problemsOf(text);
    expect(unapproved["refuses"]?.[0]).toMatch(/no hook that is loaded listens.*1 hook here does not run/);
    const failed = await problemsOf(text, "--trust-project");
    expect(failed["refuses"]).toEqual([expect.stringMatching(/hooks\.yaml:2 failed: .*gone\.mjs/s)]);
    const expected = text.replace("expect: deny", "expect: { decision: deny, fails: true }");
    expect(await problemsOf(expected, "--trust-project")).toEqual({ refuses: [] });
  });

  test("puts fixtures where the hooks find them, and removes them", async () => {
    desk.write(
      "hooks/read.ts",
      `import { readFileSync } from "node:fs"; export default (pi) => { pi.on("tool_call", (e) => readFileSync(e.input.path, "utf8").includes("secret") ? { block: true, reason: "secret" } : undefined); };\n`,
    );
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("hookline-fixtures-"));
    expect(
      await problemsOf(`hooks: [pi:hooks/read.ts]
fixtures: { a/keys.txt: a secret, plain.txt: nothing }
event: pi:tool_call
cases:
  - table: [[payload.input.path, expect], ["{fixtures}/a/keys.txt", deny], ["{fixtures}/plain.txt", allow]]
`),
    ).toEqual({ "{fixtures}/a/keys.txt": [], "{fixtures}/plain.txt": [] });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("hookline-fixtures-"))).toEqual(before);
    const { json } = await testing(`fixtures: { ../gone-${process.pid}: y }\ncases:\n  - { expect: none }\n`, "--json");
    expect(json.files[0].problems[0]).toContain("out of the fixtures' folder");
    expect(existsSync(`${tmpdir()}/gone-${process.pid}`)).toBe(false);
  });

  test.each([
    ["cases: [", 1, "Flow sequence"],
    ["- x", 1, "is not a mapping"],
    ["cases: []", 1, '"cases" must be a list with at least one case'],
    ["cases:\n  - { expct: deny }", 2, 'Did you mean "expect"?'],
    ["cases:\n  - { event: tool.before }", 2, "does not say what it expects"],
    ["cases:\n  - { expect: dney }", 2, 'Did you mean "deny"?'],
    ["cases:\n  - { expect: { text: /(/ } }", 2, "Unterminated group"],
    ["cases:\n  - { expect: {} }", 2, '"expect" is empty'],
    ["cases:\n  - table: [[expect], [deny, allow]]", 2, "rows of one length"],
  ])("names the line of a mistake: %j", async (text, line, problem) => {
    const { code, json } = await testing(text, "--json");
    expect(code).toBe(1);
    expect(json.files[0]).toMatchObject({ problems: [expect.stringContaining(problem)], cases: [] });
    expect(json.files[0].problems[0]).toMatch(new RegExp(`^line ${line}:`));
  });

  test("holds payloads to their event, and names the nearest field and event", async () => {
    guards(desk);
    expect(
      await problemsOf(`cases:
  - { name: field, event: "pi:tool_call", payload: { inptu: { command: rm x } }, expect: deny }
  - { name: kind, event: tool.before, payload: { tool: 5 }, expect: deny }
  - { name: event, event: "pi:tool_cal", expect: deny }
`),
    ).toEqual({
      field: ['pi:tool_call has no field "inptu". Did you mean "input"?'],
      kind: ['"tool" must be string'],
      event: [expect.stringContaining('Did you mean "pi:tool_call"?')],
    });
  });

  test("says with --coverage what no case reaches", async () => {
    guards(desk);
    const { out } = await testing(
      "cases:\n  - { event: 'pi:tool_call', tool: bash, args: { command: ls }, expect: allow }\n",
      "--coverage",
    );
    expect(out).toMatch(/no case expects +.*guard\.ts.* to refuse tool_call/);
    expect(out).toMatch(/no case asks +.*hooks\.yaml:2 about pre_tool_execution/);
    expect(out).toContain("1 of 4 hooks are asked by a case");
  });

  test("says with --coverage the same beside another format, on stderr", async () => {
    guards(desk);
    const text = "cases:\n  - { event: 'pi:tool_call', tool: bash, args: { command: ls }, expect: allow }\n";
    for (const reporter of ["junit", "tap"]) {
      const { out, err } = await testing(text, "--coverage", "--reporter", reporter);
      expect(out).not.toContain("by a case");
      expect(err).toContain("1 of 4 hooks are asked by a case");
    }
  });

  test("says of a file that is not there that there is none", async () => {
    const { out, code } = await desk.hookline(["hooks", "test", "nothere.hooks-test.yaml"]);
    expect(out).toContain("nothere.hooks-test.yaml\n  not run: there is no such file\n");
    expect(code).toBe(1);
  });

  test("speaks TAP and JUnit", async () => {
    guards(desk);
    const text =
      "cases:\n  - { name: 'a <b> # c', tool: bash, args: { command: ls }, expect: allow }\n  - { name: d, tool: bash, args: { command: ls }, expect: deny }\n";
    const tap = await testing(text, "--reporter", "tap");
    expect(tap.out).toBe(
      `TAP version 14\n1..2\nok 1 - ${CASES}: a <b> \\# c\nnot ok 2 - ${CASES}: d\n  ---\n  problems:\n    - "expected deny, but no hook answered"\n  ...\n`,
    );
    const junit = await testing(text, "--reporter", "junit");
    expect(junit.out).toContain('<testsuites name="hookline hooks test" tests="2" failures="1">');
    expect(junit.out).toContain(`<testcase name="${CASES}: a &lt;b&gt; # c"`);
    expect(junit.out).toContain('<failure message="expected deny, but no hook answered">');
    expect((await testing(text, "--reporter", "xml")).code).toBe(2);
  });

  test("finds the files of a folder, and says where there are none", async () => {
    const { code, err } = await desk.hookline(["hooks", "test"]);
    expect(code).toBe(2);
    expect(err).toContain("ends in .hooks-test.yaml");
    guards(desk);
    desk.write("node_modules/x/no.hooks-test.yaml", "cases: [");
    desk.write("deep/down/a.hooks-test.yaml", "cases:\n  - { tool: bash, args: { command: ls }, expect: none }\n");
    expect((await desk.hookline(["hooks", "test"])).out).toContain("deep/down/a.hooks-test.yaml");
  });

  test("runs the cases of a hook again when it is saved, until nobody reads them any more", async () => {
    const guard = desk.write("g.ts", `export default (pi) => { pi.on("tool_call", () => undefined); };\n`);
    const other = desk.write("o.ts", `export default (pi) => { pi.on("input", () => undefined); };\n`);
    desk.write(
      CASES,
      `hooks: [pi:g.ts, pi:o.ts]\ncases:\n  - { name: call, tool: bash, expect: deny }\n  - { name: typed, event: input, expect: none }\n`,
    );
    const gone = new AbortController();
    const ran = desk.hookline(["hooks", "test", "--watch", "--json"], { readerGone: gone.signal });
    await expect.poll(() => desk.said).toContain('"failed": 1');
    writeFileSync(guard, `export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "no" })); };\n`);
    await expect.poll(() => desk.said).toContain('"failed": 0');
    const before = desk.said.length;
    writeFileSync(other, `export default (pi) => { pi.on("input", () => ({ action: "handled" })); };\n`);
    await expect.poll(() => desk.said.slice(before)).toContain('"name": "typed"');
    expect(desk.said.slice(before)).not.toContain('"name": "call"');
    gone.abort();
    expect((await ran).code).toBe(1);
  });
});

describe("hooks fire --expect", () => {
  test("is refused with --dry-run, which asks no hook", async () => {
    const { code, err } = await desk.hookline(["hooks", "fire", "tool.before", "--dry-run", "--expect", "deny"]);
    expect([code, err]).toEqual([2, expect.stringContaining("--expect cannot be judged with --dry-run")]);
  });

  test("ends with 1 where it comes out otherwise", async () => {
    guards(desk);
    const fire = (word: string, command: string) =>
      desk.hookline(["hooks", "fire", "tool.before", "--payload", "-", "--expect", word], {
        stdin: JSON.stringify({ tool: "bash", args: { command } }),
      });
    expect((await fire("deny", "rm x")).code).toBe(0);
    expect((await fire("none", "ls")).code).toBe(0);
    const { code, err } = await fire("allow", "rm x");
    expect(code).toBe(1);
    expect(err).toMatch(/expected allow, but it is refused: .*no/);
    expect((await fire("dney", "ls")).err).toContain('Did you mean "deny"?');
    expect((await fire("dney", "ls")).code).toBe(2);
  });

  test("and where no hook listens, which would else look as if all were well", async () => {
    const { code, err } = await desk.hookline(["hooks", "fire", "tool.before", "--expect", "allow"]);
    expect(code).toBe(1);
    expect(err).toContain("no hook that is loaded listens");
  });

  test("a payload that its event does not take is refused with the nearest field", async () => {
    guards(desk);
    const fired = await desk.hookline(["hooks", "fire", "pi:tool_call", "--payload", "-"], { stdin: '{"inptu":{}}' });
    expect(fired.code).toBe(2);
    expect(fired.err).toContain('Did you mean "input"?');
    const typed = await desk.hookline(["hooks", "fire", "tool.before", "--payload", "-"], { stdin: '{"tool":5}' });
    expect(typed.err).toContain('"tool" must be string');
  });
});
