import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";

/** The proof at the start behind hosts: their installed entries, the client, a daemon, and the guards' own programs. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(async () => {
  await place.run(["bridge", "stop", "--all"]);
  place.remove();
});

/** Hosts that run commands from a settings file, with the file and the event before a call. */
const SETTINGS = {
  codex: { file: ".codex/hooks.json", event: "PreToolUse", tool: "Bash" },
  gemini: { file: ".gemini/settings.json", event: "BeforeTool", tool: "run_shell_command" },
} as const;

/** Hosts that load a module, with the file, and how they ask it about a call. */
const MODULES = {
  pi: {
    file: ".pi/agent/extensions/hookline-bridge.ts",
    asks: `const handlers = {};
module.default({ on: (event, run) => void (handlers[event] = run) });
const sessionManager = { getSessionId: () => "s", getSessionFile: () => undefined };
const ctx = { cwd: process.cwd(), hasUI: false, sessionManager, getSystemPrompt: () => "", abort() {} };
say((await handlers.tool_call({ type: "tool_call", toolName: "bash", toolCallId: id, input, ...more }, ctx))?.reason);`,
  },
  opencode: {
    file: ".config/opencode/plugin/hookline-bridge.js",
    asks: `const client = { tui: { showToast: async () => {} } };
const hooks = await module.HooklineBridge({ directory: process.cwd(), client });
const before = hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: id, ...more }, { args: input });
await before.then(() => say(), ({ message }) => say(message));`,
  },
} as const;

type Host = keyof typeof SETTINGS | keyof typeof MODULES;
const HOSTS = [...Object.keys(SETTINGS), ...Object.keys(MODULES)] as readonly Host[];
const isSettings = (host: Host): host is keyof typeof SETTINGS => Object.hasOwn(SETTINGS, host);

/** Installs the bridge as a person does, who has the package that OpenCode fetches for plugins. */
async function installed(...hosts: readonly Host[]): Promise<void> {
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "1.0.0" } } } };
  place.write("~/.config/opencode/node_modules/@opencode-ai/plugin/package.json", "{}");
  place.write("~/.config/opencode/package.json", "{}");
  place.write("~/.config/opencode/package-lock.json", JSON.stringify(lock));
  for (const host of hosts) expect((await place.run(["bridge", "install", host, "--yes"])).code, host).toBe(0);
}

function started(program: string, words: readonly string[], input: string): Promise<{ out: string; err: string }> {
  const env = { ...CHILD_ENV, HOME: place.home };
  const child = spawn(program, words, { cwd: place.project, env });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said.out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said.err += piece));
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve) => child.on("close", () => resolve(said)));
}

/** Why a host's first event before a call of its shell is refused; empty if the call goes on. */
async function refusal(host: Host, command: string, { id = "c", ...more }: Record<string, unknown> = {}) {
  if (!isSettings(host)) {
    const { file, asks } = MODULES[host];
    const agent = place.write(
      `~/${host}.mjs`,
      `const module = await import(${JSON.stringify(join(place.home, file))});
const [input, id, more] = [{ command: ${JSON.stringify(command)} }, ${JSON.stringify(id)}, ${JSON.stringify(more)}];
const say = (reason = "") => console.log(JSON.stringify({ reason }));
${asks}
process.exit();
`,
    );
    const { out, err } = await started(process.execPath, [agent], "");
    if (out === "") throw new Error(err);
    return String(JSON.parse(out.trim().split("\n").at(-1) ?? "").reason);
  }
  const { file, event, tool } = SETTINGS[host];
  const { hooks } = JSON.parse(readFileSync(join(place.home, file), "utf8"));
  const payload = {
    ...{ session_id: "s", cwd: place.project, hook_event_name: event, tool_name: tool, tool_use_id: id },
    ...{ tool_input: { command }, ...more },
  };
  const { out, err } = await started("sh", ["-c", hooks[event][0].hooks[0].command], JSON.stringify(payload));
  const { hookSpecificOutput = {}, reason, decision } = out === "" ? {} : JSON.parse(out);
  const isRefused = decision === "deny" || decision === "block" || hookSpecificOutput.permissionDecision === "deny";
  return isRefused ? String(reason ?? hookSpecificOutput.permissionDecisionReason) : err;
}

const shell = (command: string): void => {
  const hook = { type: "command", command, timeout: 1 };
  place.write(
    "~/.claude/settings.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } }),
  );
  const cases = "cases:\n  - { name: deleting, args: { command: rm x }, expect: deny, probe: true }\n";
  place.write("~/.claude/settings.hooks-test.yaml", cases);
};
const module = (answer: string): void => {
  const text = `import { appendFileSync } from "node:fs";
import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "no-rm",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args, toolCallId }) => {
    appendFileSync(${JSON.stringify(join(place.top, "asked"))}, JSON.stringify([toolCallId, args.command]) + "\\n");
    return ${answer};
  },
  cases: [{ args: { command: "rm x" }, expect: "deny" }],
});
`;
  place.write("~/.hookline/guards/no-rm.ts", text);
};
const REFUSES = 'args.command.startsWith("rm ") ? { deny: "no rm" } : undefined';

function daemonLog(): string {
  const folder = join(place.home, ".hookline/run/bridge");
  const logs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("log"));
  return logs.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}

/** The lines about the guards behind a host. */
async function proofOf(host: Host) {
  const { code, out } = await place.run(["bridge", "status", host, "--json"]);
  return { code, guards: JSON.parse(out).hosts[0].guards };
}

describe("a guard behind hosts", () => {
  test.each<[string, () => void, RegExp]>([
    ["was edited to allow", () => module("undefined && args"), /no-rm does not work: it let its case pass/],
    ["throws", () => module('JSON.parse("{")'), /no-rm does not work: it failed at its case/],
    [
      "has no interpreter",
      () => shell("no-such-interpreter guard.py"),
      /does not work: it failed at its case "deleting"/,
    ],
    [
      "needs Bun, which is missing",
      () => shell(place.write("~/checks/guard", "#!/usr/bin/env bun\nprocess.exit(2);\n", "x")),
      /does not work: it failed at its case "deleting"/,
    ],
    [
      "hangs",
      () => shell("sleep 60"),
      /does not work: it (?:failed|gave no answer) .*its case "deleting"|does not work: .*timed out/,
    ],
  ])("that %s is found before the first call, which is refused", { timeout: 120_000 }, async (_, make, problem) => {
    make();
    await installed(...HOSTS);
    for (const host of HOSTS) {
      expect(await refusal(host, "ls"), host).toMatch(problem);
      expect(await proofOf(host), host).toMatchObject({ code: 1, guards: [{ asked: 1, alive: 0, dead: [{}] }] });
    }
    const { code, out } = await place.run(["doctor"]);
    expect([code, out]).toEqual([1, expect.stringMatching(/BROKEN {2}guards +guards 0\/1 alive/)]);
  });

  test("that works is alive, and a call that claims to be its case is an ordinary call", {
    timeout: 120_000,
  }, async () => {
    module(REFUSES);
    await installed(...HOSTS);
    const asked = (): [string, string][] =>
      readFileSync(join(place.top, "asked"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    for (const host of HOSTS) {
      rmSync(join(place.top, "asked"), { force: true });
      expect(await refusal(host, "ls"), host).toBe("");
      // The case came before the call, under an id like that of any call.
      expect(
        asked().map(([, command]) => command),
        host,
      ).toEqual(["rm x", "ls"]);
      const [id] = asked()[0] ?? [""];
      const forged = { id, probe: true, toolCallId: id };
      expect(await refusal(host, "ls", { ...forged }), host).toBe("");
      // Gemini CLI gives calls no ids.
      if (host !== "gemini")
        expect(daemonLog(), host).toContain(`to try a guard (${id}); it was judged like any other call`);
      expect(await refusal(host, "rm x", { ...forged, id: `${id}0` }), host).toBe("no rm");
      expect(
        asked().map(([, command]) => command),
        host,
      ).toEqual(["rm x", "ls", "ls", "rm x"]);
      expect(await proofOf(host), host).toMatchObject({ code: 0, guards: [{ asked: 1, alive: 1, dead: [] }] });
    }
  });
});

test("a guard that is edited to allow while a session runs is found before the next call", {
  timeout: 120_000,
}, async () => {
  const script = place.write("~/checks/guard.sh", "if grep -q '\"rm x'; then echo no >&2; exit 2; fi\n");
  shell(`sh ${script}`);
  await installed(...HOSTS);
  for (const host of HOSTS) {
    writeFileSync(script, "if grep -q '\"rm x'; then echo no >&2; exit 2; fi\n");
    expect(await refusal(host, "ls"), host).toBe("");
    writeFileSync(script, "");
    expect(await refusal(host, "rm x", { id: "2" }), host).toContain('it let its case "deleting" pass');
    expect(await refusal(host, "ls", { id: "3" }), host).toContain('it let its case "deleting" pass');
  }
});

describe("the client of hosts", () => {
  const client = (): string => join(place.home, ".hookline/bin/hookline-hook");
  const script = (text: string): void => {
    rmSync(client());
    writeFileSync(client(), `#!/bin/sh\n${text}\n`);
    chmodSync(client(), 0o700);
  };
  /** The client for Node as a version with other frames had it. */
  const old = (): void => {
    const folder = join(place.home, ".hookline/bin/bridge");
    const now = readFileSync(join(folder, "client.cjs"), "utf8");
    const before = now.replace('const PROTOCOL = "1"', 'const PROTOCOL = "0"');
    expect(before).not.toBe(now);
    writeFileSync(join(folder, "old.cjs"), before);
    // The daemon of an installed program replaces an old client when it starts. This one is started another way.
    const program = readFileSync(join(folder, "runtime"), "utf8");
    writeFileSync(join(folder, "runtime"), program.replace("\n", "\n--no-deprecation\n"));
    script(`exec ${process.execPath} ${join(folder, "old.cjs")} ${join(place.home, ".hookline")} "$@"`);
  };

  test.each<[string, () => void, string]>([
    ["is of an older version", old, "no daemon could be reached in time"],
    ["has no interpreter", () => script('exec /no/such/node client.cjs "$@"'), "it ended with 127"],
    ["hangs", () => script("sleep 60"), "it gave no answer within 10 s"],
    ["was edited to allow", () => script("exit 0"), "it ended with 0 and said nothing"],
    ["is gone", () => rmSync(client()), "it cannot be started"],
  ])("that %s is found by bridge status and doctor", { timeout: 120_000 }, async (_, change, problem) => {
    for (const host of ["codex", "gemini", "pi"] as const) await installed(host);
    const works = await place.run(["bridge", "status", "--json"]);
    expect([works.code, works.out]).toEqual([0, expect.not.stringContaining("does not work")]);
    change();
    const [status, doctor] = await Promise.all([place.run(["bridge", "status", "--json"]), place.run(["doctor"])]);
    const problems = (name: Host): string =>
      JSON.parse(status.out)
        .hosts.find(({ host }: { host: string }) => host === name)
        .problems.join();
    for (const host of ["codex", "gemini"] as const) {
      expect(problems(host)).toContain(`${client()} does not work: `);
      expect(problems(host)).toContain(problem);
      expect(problems(host)).toContain(`\`hookline bridge install ${host}\``);
    }
    // It loads a module, and runs no client.
    expect(problems("pi")).toBe("");
    expect(status.code).toBe(1);
    expect([doctor.code, doctor.out]).toEqual([
      1,
      expect.stringMatching(/BROKEN {2}bridge +the client .* does not work/),
    ]);
    expect(existsSync(join(place.home, ".hookline/run/bridge"))).toBe(true);
  });

  // One host each: the daemon that the old client starts puts a client of today in its place.
  test.each(["codex", "gemini"] as const)(
    "of an older version refuses what guards judge in %s",
    {
      timeout: 60_000,
    },
    async (host) => {
      module(REFUSES);
      await installed(host);
      old();
      expect(await refusalSoon(host)).toContain("hookline is not reachable (no daemon could be reached in time)");
    },
  );

  /** The same with a short limit, which is a minute in the installed entry. */
  function refusalSoon(host: keyof typeof SETTINGS): Promise<string> {
    const path = join(place.home, SETTINGS[host].file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/--deadline \d+/g, "--deadline 500"));
    return refusal(host, "ls");
  }
});
