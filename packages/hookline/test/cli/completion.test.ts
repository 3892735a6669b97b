import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AGENT_FLAGS, takes } from "../../src/start/args.ts";
import { COMMANDS } from "../../src/start/commands.ts";
import { FLAGS } from "../../src/start/flags.ts";
import { Desk } from "../authors/desk.ts";

let desk: Desk;
beforeAll(() => {
  desk = new Desk();
});
afterAll(() => desk.remove());

/** The words that are offered for a line at whose end the cursor stands. */
async function offers(line: string): Promise<string[]> {
  const { code, out, err } = await desk.hookline(["completion", "words", "--", ...line.split(" ")]);
  expect([code, err]).toEqual([0, ""]);
  return out
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => one.split("\t")[0] as string);
}

describe("completion", () => {
  test("knows exactly the subcommands and flags that the help shows", async () => {
    const groups = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]));
    expect(new Set(await offers(""))).toEqual(groups);
    for (const { name } of COMMANDS) {
      const flags = Object.keys(FLAGS).filter((flag) => takes(FLAGS[flag] as never, name));
      expect(await offers(`${name} --`)).toEqual(flags.map((flag) => `--${flag}`));
      const { out } = await desk.hookline([...name.split(" "), "--help"]);
      const shown = [...out.matchAll(/^ {2}(?: {4}|-\w, )--([\w-]+)/gm)].map(([, flag]) => flag);
      expect(shown.toSorted()).toEqual(flags.toSorted());
    }
    expect(await offers("--")).toEqual(Object.keys(AGENT_FLAGS).map((flag) => `--${flag}`));
  });

  test.each([
    ["hooks fire --expect ", ["allow", "deny", "ask", "edit", "none"]],
    ["hooks test --reporter t", ["text", "tap"]],
    ["hooks init j", ["jcli"]],
    ["--mode r", ["rpc"]],
    ["--mode=r", ["--mode=rpc"]],
    ["--dialects pi,j", ["pi,jcli"]],
    ["replay --fail-on newly-denied,rew", ["newly-denied,rewritten"]],
    ["--cwd ", [":folder"]],
    ["-e ", [":file"]],
    ["hooks fire x --payload ", [":file"]],
    ["hooks list --cwd /tmp --str", ["--strict"]],
    ["hooks fire --json --js", []],
    ["-e a.ts --ext", ["--extension"]],
    ["completion ", ["bash", "zsh", "fish"]],
    ["help do", ["doctor"]],
    ["sessions export x ", [":file"]],
    ["what is this", []],
    ["hooks fire -- --exp", []],
  ])("of `%s` is %j", async (line, words) => {
    expect(await offers(line)).toEqual(words);
  });

  test("offers the names of events, found hooks, pending items and sessions, and runs nothing for that", async () => {
    desk.write(
      ".pi/extensions/mark.ts",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(desk.path("ran"))}, ""); export default () => {};\n`,
    );
    desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
    await desk.hookline(["--script", desk.path("script.yaml"), "-p", "go"]);
    expect(await offers("hooks explain chibi:pre_api_t")).toEqual(["chibi:pre_api_tools"]);
    expect(await offers("schema tool.bef")).toEqual(["tool.before"]);
    expect(await offers("hooks shadow .pi")).toEqual([".pi/extensions/mark.ts", ":file"]);
    expect(await offers("trust .pi")).toEqual([".pi/extensions/mark.ts", ":file"]);
    const { json } = await desk.hookline(["sessions", "--json"]);
    expect(await offers("--resume ")).toEqual([json.sessions[0].id, ":file"]);
    expect(() => desk.read("ran")).toThrow(/ENOENT/);
  });

  test("has no script for another shell, and lists the supported ones", async () => {
    const wrong = await desk.hookline(["completion", "basch"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain('Did you mean "bash"?');
    expect((await desk.hookline(["completion"])).err).toContain("one of bash, zsh, fish");
  });
});

describe("the help of a subcommand", () => {
  test("shows exactly what the subcommand takes, with its words", async () => {
    const helpOf = async (line: string): Promise<string> => (await desk.hookline([...line.split(" "), "--help"])).out;
    const schema = await helpOf("schema");
    expect(schema).toMatch(/^ {2}EVENT +an event/m);
    expect(schema).not.toMatch(/--(model|script|base-url|trust-project|json)\b/);
    expect(await helpOf("packages fetch")).toMatch(/^ {2}SOURCE +npm:NAME@VERSION/m);
    expect(await helpOf("hooks fire")).toMatch(/--payload[\s\S]*--expect/);
    expect(await helpOf("hooks fire")).not.toMatch(/--(script|api|verbose|reset|since)\b/);
    expect(await helpOf("doctor")).not.toMatch(/--(model|script|context)\b/);
  });

  test("has every flag of the usage line, and no flag that only the agent takes", async () => {
    for (const { name, usage } of COMMANDS)
      for (const [, flag = ""] of usage.matchAll(/--([a-z-]+)/g))
        expect([name, flag, takes(FLAGS[flag] as never, name)]).toEqual([name, flag, true]);
  });

  test("flags that mean the same everywhere are accepted everywhere", async () => {
    const { code } = await desk.hookline([
      "schema",
      "tool.before",
      "--no-hooks",
      "--model",
      "a/b",
      "--script",
      "x",
      "--verbose",
    ]);
    expect(code).toBe(0);
  });
});

test("--json with a prompt is --mode json", async () => {
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const { out, code } = await desk.hookline(["--script", desk.path("script.yaml"), "--json", "-p", "go"]);
  expect(code).toBe(0);
  const types = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toContain("agent_end");
});
