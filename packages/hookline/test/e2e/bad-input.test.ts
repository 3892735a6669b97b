import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

/** A reply that always comes, so that a run's end shows what the bad part did to it. */
const SCRIPT = "replies:\n  - { text: done, repeat: true }\n";

describe("bad input", () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
    place.write("script.yaml", SCRIPT);
  });

  afterEach(() => place.remove());

  const ask = (...args: string[]) => place.run(["--script", "script.yaml", ...args, "-p", "hello"]);

  test("a hook file with a syntax error is named with its line; the run continues with --allow-broken-hooks", async () => {
    place.write("~/.pi/agent/extensions/broken.ts", "export default function (pi) {\n  pi.on('input', => {});\n}\n");
    place.write(
      "~/.pi/agent/extensions/fine.ts",
      'export default (pi) => pi.on("input", () => ({ action: "transform", text: "changed" }));',
    );
    const refused = await ask();
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/broken\.ts.*2/);
    expect(refused.err).toContain("pass --allow-broken-hooks");
    const ran = await ask("--verbose", "--allow-broken-hooks");
    expect(ran).toMatchObject({ code: 0, out: "done\n" });
    expect(ran.err).toMatch(/broken\.ts.*2/);
    expect(ran.err).toContain("changed");
    expect(ran.err).toContain("1 of 2 hooks run");
  });

  test("typed text and file names have no effect on a terminal", async () => {
    for (const args of [
      ["--mode", "x\u001b[31m"],
      ["--cwd", "x\u001b[31m"],
      ["--thinking", "\u001b]0;x\u0007"],
    ]) {
      const ran = await ask(...args);
      expect(ran.code).toBe(2);
      expect(ran.err).toContain("\u241b");
      expect(ran.err).not.toContain("\u001b");
    }
    const fired = await place.run(["hooks", "fire", "pi:tool_call", "--payload", "x\u001b[31m"]);
    expect(fired.err).toContain("x\u241b[31m");
  });

  test("a hook or a project whose name is not UTF-8 is reported, and what to do", async () => {
    const odd = (folder: string, end: string): Buffer =>
      Buffer.concat([Buffer.from(join(place.home, folder, "b")), Buffer.from([0xff]), Buffer.from(end)]);
    for (const [folder, end] of [
      [".pi/agent/extensions", ".ts"],
      [".omp/agent/extensions", ".ts"],
      [".omp/agent/hooks/pre", ".ts"],
      [".chibi/plugins", ""],
    ] as const) {
      mkdirSync(join(place.home, folder), { recursive: true });
      writeFileSync(odd(folder, end), "export default () => {};\n", { mode: 0o755 });
    }
    const ran = await ask();
    expect(ran.code).toBe(1);
    const told = ran.err.split("\n").filter((line) => line.includes("not valid UTF-8"));
    for (const folder of [".pi/agent/extensions", ".omp/agent/extensions", ".omp/agent/hooks/pre", ".chibi/plugins"])
      expect(told.filter((line) => line.includes(folder)).length).toBeGreaterThan(0);
  });

  test("a damaged trust store is named where hooks wait for it", async () => {
    place.write(".pi/extensions/a.ts", "export default () => {};\n");
    place.write("~/.hookline/trust.json", '{"version":1,"entr');
    chmodSync(join(place.home, ".hookline/trust.json"), 0o600);
    const ran = await ask();
    expect(ran.err).toMatch(/a\.ts is not run: .*trust\.json cannot be used: it is not a trust store/);
  });

  test("a YAML file with a tab is named with its line and the remedy", async () => {
    place.write("~/.jdata/agent/hooks.yaml", "stop:\n\t- command: cat\n");
    const ran = await ask();
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/hooks\.yaml:2/);
    expect(ran.err).toMatch(/tab/i);
  });

  test("a plugin whose --schema prints text is named, its neighbours run", async () => {
    place.write("~/.chibi/plugins/chatty", "#!/bin/sh\necho hello\n", "x");
    const ran = await ask();
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/chatty/);
    expect(ran.err).toMatch(/JSON/);
  });

  test("a script that exits with 1 is reported with its status, and its dialect's rule decides", async () => {
    place.write("~/.jdata/agent/hooks.yaml", "pre_send_message:\n  - command: 'echo why >&2; exit 1'\n");
    const ran = await ask();
    expect(ran.code).toBe(0);
    expect(ran.out).toBe("done\n");
    expect(ran.err).toMatch(/hooks\.yaml:2/);
    expect(ran.err).toMatch(/exit|status 1|code 1/i);
  });

  test("a guard that exits 1 with on_error abort refuses the call", async () => {
    place.write(
      "script.yaml",
      'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "touch made" } }]\n  - { text: done, repeat: true }\n',
    );
    place.write("~/.jdata/agent/hooks.yaml", "pre_tool_execution:\n  - { command: 'exit 1', on_error: abort }\n");
    const ran = await ask();
    expect(ran.code).toBe(0);
    expect(existsSync(join(place.project, "made"))).toBe(false);
  });

  test("without a model the error names the three ways to get one", async () => {
    const ran = await place.run(["-p", "hello"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/API_KEY/);
    expect(ran.err).toMatch(/models\.json/);
    expect(ran.err).toMatch(/--base-url|--script/);
  });

  test("an endpoint that nobody listens on is a clear failure", async () => {
    const ran = await place.run(["--base-url", "http://127.0.0.1:9/v1", "--model", "test/m", "-p", "hello"], {
      env: { HOOKLINE_RETRY_BASE_MS: "1" },
    });
    expect(ran.code).toBe(1);
    expect(ran.out).toBe("");
    expect(ran.err).toMatch(/127\.0\.0\.1:9|connect|fetch|Connection/i);
  });

  test("a script file with an error is named with its line", async () => {
    place.write("script.yaml", "replies:\n  - txt: done\n");
    const ran = await ask();
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/script\.yaml:2/);
    expect(ran.err).toMatch(/text/);
  });

  test.each([
    [["--modle", "x", "-p", "hi"], /--model/],
    [["--model"], /needs a value/],
    [["--mode", "xml", "-p", "hi"], /text, json/],
    [["--dialects", "jci", "-p", "hi"], /jcli/],
    [[], /no prompt/i],
    [["hooks", "lits"], /hooks list/],
  ] as [string[], RegExp][])("wrong usage %j ends with 2 and says what is right", async (args, said) => {
    const ran = await place.run(["--script", "script.yaml", ...args]);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(said);
  });

  test("settings: a misspelt key, a wrong type and what a project may not set are named, the rest holds", async () => {
    place.write("~/.hookline/settings.json", '{\n  "feedbackCapp": 3,\n  "feedbackCap": "many"\n}');
    place.write(".hookline/settings.json", '{ "feedbackCap": 50 }');
    const ran = await ask();
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/settings\.json:2.*feedbackCapp.*feedbackCap/);
    expect(ran.err).toMatch(/settings\.json:3.*whole number/);
    expect(ran.err).toMatch(/"feedbackCap" cannot be set by a project/);
  });

  test("--version and --help need nothing", async () => {
    expect((await place.run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await place.run(["--help"]);
    expect(help.code).toBe(0);
    expect(help.out).toContain("--trust-project");
  });

  test("a hook that stops the prompt ends the run with 3", async () => {
    place.write("~/.jdata/agent/hooks.yaml", "pre_send_message:\n  - command: 'echo ''{\"action\":\"stop\"}'''\n");
    const ran = await ask();
    expect(ran.code).toBe(3);
    expect(ran.out).toBe("");
  });
});
