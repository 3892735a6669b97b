import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
const ASK = "-p --script script.yaml hello";

describe.skipIf(!existsSync("/dev/full"))("what cannot be written", () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
    place.write("script.yaml", "replies:\n  - { text: done, repeat: true }\n");
    place.write("~/.pi/agent/extensions/seen.js", 'export default (pi) => pi.on("input", () => undefined);\n');
  });

  afterEach(() => place.remove());

  /** Runs a line of a shell in which `$H` is the command line; gives what the last command ended with. */
  function shell(line: string): Promise<{ code: number | null; out: string; err: string }> {
    return new Promise((resolve) => {
      const child = spawn("bash", ["-c", `set -o pipefail; H="${process.execPath} ${bin}"; ${line}`], {
        cwd: place.project,
        env: { ...CHILD_ENV, HOME: place.home },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
      child.on("close", (code) => resolve({ code, out, err }));
    });
  }

  test.each([ASK, `${ASK} --mode json`, "--version", "--help", "hooks", "hooks --json", "schema tool.before"])(
    "%s > /dev/full ends with 1 and says why",
    async (args) => {
      const ran = await shell(`$H ${args} > /dev/full`);
      expect(ran).toMatchObject({ code: 1, out: "" });
      expect(ran.err).toContain("hookline: stdout could not be written: ENOSPC");
    },
  );

  test("a file that has room for a part of the output ends with 1, too", async () => {
    const ran = await shell("ulimit -f 1; trap '' XFSZ; $H schema > out.json");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("hookline: stdout could not be written: EFBIG");
  });

  test.each(["--version", "--help", "hooks", "schema"])("%s | head -0 is nobody's fault", async (args) => {
    const { code, err } = await shell(`$H ${args} | head -0`);
    expect(err).toBe("");
    expect([0, 141]).toContain(code);
  });

  test("a trace on a full disk ends the run with 1, and the answer is still given", async () => {
    const ran = await shell(`$H ${ASK} --trace /dev/full`);
    expect(ran).toMatchObject({ code: 1, out: "done\n" });
    expect(ran.err).toMatch(/The trace \/dev\/full is not complete: ENOSPC/);
  });

  test.each([
    ["a folder that is not there", "nowhere/trace.jsonl", "ENOENT"],
    ["a folder", ".", "EISDIR"],
    ["a pipe that nobody reads", "pipe", "is a pipe that nobody reads"],
  ])("a trace into %s stops the run before it begins", async (_, path, problem) => {
    execFileSync("mkfifo", [join(place.project, "pipe")]);
    place.write("~/.pi/agent/extensions/mark.js", 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");');
    const ran = await shell(`$H ${ASK} --trace ${path}`);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(problem);
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  test("a trace file that is removed during the run is reported", async () => {
    place.write(
      "~/.pi/agent/extensions/remove.js",
      'import { rmSync } from "node:fs"; export default (pi) => pi.on("input", () => rmSync("trace.jsonl"));',
    );
    const ran = await shell(`$H ${ASK} --trace trace.jsonl`);
    expect(ran).toMatchObject({ code: 1, out: "done\n" });
    expect(ran.err).toContain("the file was removed during the run");
  });

  test("counters that cannot be written are reported once, and the run is not affected", async () => {
    place.write("~/.hookline/stats", "not a folder");
    const ran = await shell(`$H ${ASK}`);
    expect(ran).toMatchObject({ code: 0, out: "done\n" });
    expect(ran.err.match(/The figures of this session for `hookline hooks stats` could not be written/g)).toHaveLength(
      1,
    );
    expect(readFileSync(join(place.home, ".hookline/stats"), "utf8")).toBe("not a folder");
  });

  test("a missing working folder is reported in one line", async () => {
    const ran = await shell("mkdir gone; cd gone; rmdir ../gone; $H -p hello");
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toBe("hookline: The working folder is gone. Change to one that exists, and try again.\n");
    expect(await shell("mkdir gone; cd gone; rmdir ../gone; $H --version")).toMatchObject({ code: 0, err: "" });
  });

  test("in a working folder that is gone, an agent's call is refused and an observed event passes", async () => {
    const call = (event: string) =>
      shell(`mkdir gone; cd gone; rmdir ../gone; $H bridge call codex ${event} < /dev/null`);
    const refused = await call("PreToolUse");
    expect([refused.code, refused.err]).toEqual([0, ""]);
    expect(JSON.parse(refused.out).hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: "hookline is not reachable (the working folder is gone)",
    });
    expect(await call("Stop")).toMatchObject({ code: 0, out: "", err: "" });
  });

  test("input without an end is refused as wrong usage", async () => {
    const ran = await shell(`yes | head -c 9000000 | $H ${ASK}`);
    expect(ran.out).toBe("");
    expect(ran.err).toContain("stdin is larger than 8 MiB");
    expect(ran.code).toBe(2);
  });

  test("--no-stdin does not look at stdin", async () => {
    execFileSync("mkfifo", [join(place.project, "pipe")]);
    const ran = await shell(`sleep 100 > pipe & $H ${ASK} --no-stdin < pipe; code=$?; kill $!; exit $code`);
    expect(ran).toEqual({ code: 0, out: "done\n", err: "" });
    rmSync(join(place.project, "pipe"));
  });

  test("a thread that waits for a pipe does not hold up the end", async () => {
    execFileSync("mkfifo", [join(place.project, "pipe")]);
    place.write(
      "~/.pi/agent/extensions/waits.js",
      'import { readFile } from "node:fs"; export default (pi) => pi.on("input", () => void readFile("pipe", () => {}));',
    );
    expect(await shell(`$H ${ASK}`)).toEqual({ code: 0, out: "done\n", err: "" });
    const failed = await shell("$H -p --script missing.yaml hello");
    expect(failed.code).toBe(1);
  });
});
