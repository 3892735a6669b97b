import fs, { chmodSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { writeRunFile } from "../../../runtime/src/transport/process/run-file.ts";
import { nodeCheck } from "../../src/cli/check-machine.ts";
import { startLoopback } from "../support/loopback.ts";
import { Desk, type RunOptions } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

async function diagnose(
  options: RunOptions = {},
  ...args: string[]
): Promise<{ code: number; of(name: string): Check; out: string }> {
  const { json, code, out } = await desk.hookline(["doctor", "--json", ...args], options);
  return { code, out, of: (name) => json.checks.find((check: Check) => check.name === name) };
}

test("an empty home has nothing broken, and says how to get a model", async () => {
  const { code, of } = await diagnose();
  expect(code).toBe(0);
  for (const name of [
    "node",
    "shell",
    "git",
    "terminal",
    "clock",
    "home",
    "permissions",
    "trust",
    "processes",
    "models.json",
    "settings",
    "hooks",
    "duplicates",
    "slow hooks",
  ])
    expect(of(name), name).toMatchObject({ ok: true });
  expect(of("keys")).toMatchObject({
    ok: true,
    message: "no provider has a key",
    remedy: expect.stringMatching(/--base-url/),
  });
});

test("for a person it is one line for each, with the remedy below", async () => {
  const { out } = await desk.hookline(["doctor"]);
  expect(out).toMatch(/^ok {6}node {15}Node \d+/m);
  expect(out).toMatch(/^note {4}keys .*\n {27}Set a provider's variable/m);
});

describe("what is broken is named with its remedy", () => {
  test.each([
    ["20.11.0", false],
    ["22.18.9", false],
    ["22.19.0", true],
    ["24.0.0", true],
  ])("Node %s", (version, ok) => {
    expect(nodeCheck(version).ok).toBe(ok);
  });

  test("no shell in PATH", async () => {
    const { code, of } = await diagnose({ env: { PATH: desk.home } });
    expect(code).toBe(1);
    expect(of("shell")).toMatchObject({ ok: false, remedy: expect.stringMatching(/PATH/) });
    expect(of("git")).toMatchObject({ ok: true, message: "git is not in PATH" });
  });

  test("private files that others may read, and links in their place", async () => {
    desk.write("~/.hookline/sessions/--x--/a.jsonl", "{}\n");
    chmodSync(desk.path("~/.hookline/sessions"), 0o755);
    const loose = await diagnose();
    expect(loose.code).toBe(1);
    expect(loose.of("permissions")).toMatchObject({
      ok: false,
      remedy: expect.stringMatching(/chmod -R go= .*sessions/),
    });
    symlinkSync(desk.home, desk.path("~/.hookline/stats"));
    expect((await diagnose()).of("permissions").message).toMatch(/symbolic links.*stats/);
  });

  test("settings, a trust store and a models.json that cannot be used", async () => {
    desk.write("~/.hookline/settings.json", '{ "lane": [] }');
    desk.write("~/.hookline/trust.json", "[]");
    chmodSync(desk.path("~/.hookline/trust.json"), 0o600);
    desk.write("~/.hookline/models.json", "{");
    const { code, of } = await diagnose();
    expect(code).toBe(1);
    expect(of("settings").message).toMatch(/unknown key "lane"/);
    expect(of("trust")).toMatchObject({ ok: false, message: expect.stringMatching(/not a trust store/) });
    expect(of("models.json")).toMatchObject({ ok: false });
  });

  test("a key of settings that is nearly one is broken, one of nobody's is a note", async () => {
    desk.write("~/.hookline/settings.json", '{ "requird": [] }');
    expect((await diagnose()).of("settings")).toMatchObject({ ok: false });
    desk.write("~/.hookline/settings.json", '{ "ofSomebodyElse": 1 }');
    expect((await diagnose()).of("settings")).toMatchObject({ ok: true, remedy: expect.anything() });
    expect((await desk.hookline(["doctor"])).out).toMatch(/^note {4}settings .*ofSomebodyElse/m);
  });

  test("hooks of another program, which do not run here, are named by doctor and by the list", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] };
    desk.write(".codex/hooks.json", JSON.stringify({ hooks }));
    desk.write(".claude/settings.json", JSON.stringify({ hooks }));
    const { of } = await diagnose();
    expect(of("other programs")).toMatchObject({
      ok: true,
      message: expect.stringMatching(/\.codex\/hooks\.json has 1 hook of Codex, which hookline does not run$/),
      remedy: expect.stringContaining("hooks import"),
    });
    const { out } = await desk.hookline(["hooks"]);
    expect(out).toMatch(/^\.codex\/hooks\.json has 1 hook of Codex, which hookline does not run$/m);
    expect(out).not.toMatch(/\.claude\/settings\.json has/);
  });

  test("hooks that are broken, that can never run, and that fire twice", async () => {
    const guard = 'export default (pi) => pi.on("tool_call", () => {});\n';
    desk.write("~/.pi/agent/extensions/a.ts", guard);
    desk.write("~/.omp/agent/extensions/b.ts", guard);
    desk.write("~/.pi/agent/extensions/broken.ts", "export default (;\n");
    desk.write("~/.chibi/plugins/readme.txt", "not a program\n");
    desk.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
    const { code, of } = await diagnose();
    expect(code).toBe(1);
    expect(of("hooks")).toMatchObject({ ok: false, message: expect.stringMatching(/broken\.ts/) });
    expect(of("unheard hooks")).toMatchObject({ ok: false, message: expect.stringMatching(/readme\.txt/) });
    expect(of("duplicates").message).toMatch(/b\.ts and .*a\.ts/);
    expect(of("consent")).toMatchObject({ ok: true, remedy: expect.stringMatching(/trust approve/) });
  });

  test("what an approval leaves open, and what a hook only reads", async () => {
    desk.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: sh guard.sh list.txt\n");
    desk.write("guard.sh", 'cat "$1"\nsh "$TOOL"\n');
    desk.write("list.txt", "rm\n");
    await desk.hookline(["trust", "approve", "--yes"]);
    const { of } = await diagnose();
    expect(of("open").message).toMatch(
      /^not covered: sh "\$TOOL" in \S+\/guard\.sh:2 computes .*; to cover it: --bind/,
    );
    expect(of("data").message).toMatch(/^reads \S+\/list\.txt \(data: may change freely\)/);
    const { out } = await desk.hookline(["hooks", "--verbose"]);
    expect(out).toMatch(/not covered: sh "\$TOOL" in/);
    expect(out).toMatch(/reads \S*list\.txt/);
    expect((await desk.hookline(["hooks"])).out).not.toMatch(/list\.txt \(data/);
  });

  test("processes of a run that was killed", async () => {
    const forget = writeRunFile(join(desk.home, ".hookline/run"), "r1");
    onTestFinished(forget);
    const own = desk.read("~/.hookline/run/runs/r1.json");
    const message = async () => (await diagnose()).of("processes").message;
    expect(await message()).toBe("no earlier run has left processes behind");
    const dead = { ...JSON.parse(own), pid: 999_999_999 };
    desk.write("~/.hookline/run/runs/r2.json", JSON.stringify(dead));
    // A record of another machine says nothing here.
    desk.write("~/.hookline/run/runs/r3.json", JSON.stringify({ ...dead, host: "elsewhere" }));
    expect(await message()).toBe("1 run was killed, and may have left processes behind");
    // The sessions that look at the hooks forget the dead runs that have left nothing. This number is another process's by now.
    desk.write("~/.hookline/run/runs/r2.json", JSON.stringify(dead));
    desk.write("~/.hookline/run/runs/r3.json", JSON.stringify({ ...dead, pid: process.pid, startTicks: 1 }));
    expect(await message()).toBe("2 runs were killed, and may have left processes behind");
  });

  test("slow hooks, from the counters of earlier sessions", async () => {
    const hook = {
      id: "a",
      dialect: "jcli",
      tier: "user",
      source: "/h.yaml:2",
      event: "stop",
      runs: 1,
      ok: 1,
      failed: 0,
      timedOut: 0,
      failedOpen: 0,
      skipped: 0,
      blocked: 0,
      edits: 0,
      totalMs: 4000,
      recent: [4000],
    };
    desk.write("~/.hookline/stats/999999999.1.x.json", JSON.stringify({ version: 1, hooks: [hook], merged: [] }));
    chmodSync(desk.path("~/.hookline/stats/999999999.1.x.json"), 0o600);
    const { of } = await diagnose();
    expect(of("slow hooks")).toMatchObject({
      ok: true,
      message: expect.stringMatching(/h\.yaml:2 on stop \(p95 4000 ms\)/),
    });
  });

  test("a provider that answers, one that does not, and no key is ever shown", async () => {
    const server = await startLoopback([]);
    try {
      desk.write(
        "~/.hookline/models.json",
        JSON.stringify({
          providers: {
            near: {
              baseUrl: `${server.url}/v1`,
              api: "openai-completions",
              apiKey: "sk-secret-0123456789",
              models: [{ id: "m" }],
            },
          },
        }),
      );
      const { of, out, code } = await diagnose({}, "--base-url", "http://127.0.0.1:9/v1");
      expect(of("provider near")).toMatchObject({ ok: true });
      expect(of("provider --base-url")).toMatchObject({
        ok: false,
        message: expect.stringMatching(/127\.0\.0\.1:9 cannot be reached/),
      });
      expect(of("keys").message).toContain("near");
      expect(out).not.toContain("sk-secret");
      expect(code).toBe(1);
    } finally {
      await server.close();
    }
  });
});

describe("sessions of other agents", () => {
  const GUARD = `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "never" }));\n`;
  const call = (id: string) => ({
    type: "assistant",
    sessionId: "s1",
    cwd: desk.cwd,
    uuid: id,
    timestamp: new Date().toISOString(),
    message: { role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }] },
  });
  const prepared = (): string => {
    desk.write("~/.pi/agent/extensions/guard.ts", GUARD);
    const folder = `~/.claude/projects/${desk.cwd.replace(/[^A-Za-z0-9]/g, "-")}`;
    return desk.write(
      `${folder}/s1.jsonl`,
      `${[call("t1"), call("t2")].map((line) => JSON.stringify(line)).join("\n")}\n`,
    );
  };
  /** Runs `doctor`, and tells which of its reads were of a file. */
  const opensOf = async (path: string, types: string): Promise<{ readonly opened: boolean; readonly out: string }> => {
    let opened = false;
    const real = { openSync: fs.openSync, readFileSync: fs.readFileSync, createReadStream: fs.createReadStream };
    for (const name of ["openSync", "readFileSync", "createReadStream"] as const) {
      const before = real[name] as (...args: unknown[]) => unknown;
      const spy = (...args: unknown[]): unknown => {
        if (String(args[0]) === path) opened = true;
        return before(...args);
      };
      Object.assign(fs, { [name]: spy });
    }
    syncBuiltinESMExports();
    try {
      const { out } = await desk.hookline(["doctor"], { types });
      return { opened, out };
    } finally {
      Object.assign(fs, real);
      syncBuiltinESMExports();
    }
  };

  test("are counted without opening one, and replayed only after a yes", async () => {
    const path = prepared();
    const refused = await opensOf(path, "n");
    expect(refused.opened).toBe(false);
    expect(refused.out).toMatch(/agents +.*Claude Code/);
    expect(refused.out).toContain("claude 1 session, about 1 tool call");
    expect(refused.out).toContain("an estimate from names, dates and sizes of files");
    expect(refused.out).toContain("hookline replay --agents claude");
    expect(refused.out).toMatch(/starts no program/);
    const agreed = await opensOf(path, "y");
    expect(agreed.opened).toBe(true);
    expect(agreed.out).toMatch(/newly denied|denied/i);
  });

  test("are not offered where nobody can be asked, or where no hook runs", async () => {
    prepared();
    const { out } = await desk.hookline(["doctor"]);
    expect(out).toContain("past sessions");
    expect(out).not.toContain("Replay them now?");
    desk.write("~/.pi/agent/extensions/guard.ts", "export default () => {};\n");
    expect((await desk.hookline(["doctor"], { types: "n" })).out).not.toContain("Replay them now?");
  });
});
