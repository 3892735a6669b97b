import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { askDaemon } from "../../../bridge/src/client/client.ts";
import { type DaemonPlace, daemonPlace } from "../../../bridge/src/client/place.ts";
import { serveBridge } from "../../../bridge/src/daemon/serve.ts";
import type { HostAdapter } from "../../../bridge/src/host/adapter.ts";
import type { BridgeHost } from "../../../bridge/src/host/host.ts";
import { groupsFormat } from "../../../bridge/src/install/groups.ts";
import { doubledIn } from "../../../bridge/src/install/installed.ts";
import { rig } from "../../../bridge/test/fixtures/rig.ts";
import { VERSION } from "../../../ground/src/error/version.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { openSession } from "../../src/bridge/open.ts";
import { Desk } from "./at-desk.ts";

/** A daemon over a desk's project, in this process. */
async function served(desk: Desk): Promise<DaemonPlace> {
  const hooklineHome = join(desk.home, ".hookline");
  const place = daemonPlace(hooklineHome, desk.project, {});
  const ended = new AbortController();
  const parts = { place, cwd: desk.project, hooklineHome, hosts: HOSTS, open: openSession, signal: ended.signal };
  const serving = serveBridge(parts);
  onTestFinished(async () => {
    ended.abort();
    await serving;
  });
  await asks(desk, place, "s");
  return place;
}

/** Asks the daemon about a call of a session. */
async function asks(desk: Desk, place: DaemonPlace, session: string): Promise<void> {
  const payload = {
    session_id: session,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
  };
  const request = {
    host: "codex",
    event: "PreToolUse",
    origin: "",
    cwd: desk.project,
    deadlineMs: 20_000,
    detach: false,
    env: { HOME: desk.home, PATH: process.env["PATH"] ?? "" },
    input: Buffer.from(JSON.stringify(payload)),
  };
  await askDaemon({ place, request, timeoutMs: 20_000, start() {} });
}

test("status says which version runs and which is installed, and whose sessions a daemon has", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  expect((await desk.run("bridge", "status")).out).toContain(`hookline ${VERSION} is installed; no daemon runs.`);
  const place = await served(desk);
  const { out } = await desk.run("bridge", "status");
  expect(out).toContain(`${desk.project}: process ${process.pid}, ${VERSION} runs, 1 session\n`);
  expect(out).toMatch(/^agent +your entries +the project's +as installed +trusted +sessions$/m);
  expect(out).toMatch(/^Codex +\d+ +– +yes +not known +1$/m);
  expect(out).toMatch(/^Gemini CLI +– +–$/m);
  const status = JSON.parse((await desk.run("bridge", "status", "--json")).out);
  const daemon = { pid: process.pid, version: VERSION, cwd: desk.project, sessions: 1, sinceMs: expect.any(Number) };
  expect(status).toMatchObject({ v: 1, version: VERSION, daemons: [{ ...daemon, hosts: { codex: 1 } }] });
  const of = (name: string) => status.hosts.find(({ host }: { host: string }) => host === name);
  expect([of("codex").daemons, of("gemini").daemons]).toEqual([[daemon], []]);
  // A daemon keeps its version until it ends.
  writeFileSync(place.pid, readFileSync(place.pid, "utf8").replace(VERSION, "0.1.9"));
  const old = (await desk.run("bridge", "status", "codex")).out;
  expect(old).toContain(`0.1.9 runs, ${VERSION} installed, 1 session`);
  expect(old).toContain(`\`hookline bridge restart --all\` starts ${VERSION}`);
});

/** A guard in hookline's own format that must refuse the word `sudo`. */
const guardFile = (name: string, run: string): string => `import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "${name}",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (${run}),
  cases: [{ name: "${name} case", args: { command: "sudo ls" }, expect: "deny" }],
});
`;
const REFUSES = '/sudo/.test(args.command) ? { deny: "no sudo" } : undefined';

test("status says how many guards are alive behind each host, and names one that was edited to allow, with its remedy", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  desk.write("~/.hookline/guards/a-good.ts", guardFile("good", REFUSES));
  const path = desk.write("~/.hookline/guards/b-edited.ts", guardFile("edited", "undefined && args"));
  const none = await desk.run("bridge", "status", "codex");
  expect([none.code, none.out]).toEqual([
    0,
    expect.stringContaining(
      "Codex: no session runs that has asked the guards their cases; `hookline doctor` asks them\n",
    ),
  ]);
  const place = await served(desk);
  const { out, code, data } = await statusOf(desk, "codex");
  expect(out).toContain(
    `Codex: in ${desk.project}: guards 1/2 alive. edited (${path}:3) does not work: it let its case "edited case" pass. ` +
      "What they guard is refused. Correct the guard or its case; `hookline hooks test` runs its cases. Then `hookline bridge restart` there.\n",
  );
  expect(code).toBe(1);
  expect(data.guards).toMatchObject([{ cwd: desk.project, asked: 2, alive: 1, dead: [{ name: "edited" }] }]);
  // A session that began before the guard was corrected still refuses what it guards.
  writeFileSync(path, guardFile("edited", REFUSES));
  await asks(desk, place, "later");
  expect((await statusOf(desk, "codex")).data.guards).toMatchObject([{ asked: 2, alive: 1 }]);
  // Nobody has asked them behind another host.
  expect((await statusOf(desk, "gemini")).data.guards).toEqual([]);
});

test("status says that all guards are alive behind a host, without asking them itself", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  const log = join(desk.top, "asked");
  const counts = `(require("node:fs").appendFileSync(${JSON.stringify(log)}, "x"), ${REFUSES})`;
  const text = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${guardFile("good", counts)}`;
  desk.write("~/.hookline/guards/good.ts", text);
  await desk.run("bridge", "status", "codex");
  expect(existsSync(log)).toBe(false);
  await served(desk);
  const before = readFileSync(log, "utf8");
  const { out, code } = await statusOf(desk, "codex");
  expect([out, code]).toEqual([expect.stringContaining(`Codex: in ${desk.project}: guards 1/1 alive\n`), 0]);
  expect(readFileSync(log, "utf8")).toBe(before);
});

test("a daemon is known by its folder, even if the name has a line break", async () => {
  using desk = new Desk();
  desk.project = join(desk.project, "two\nlines");
  mkdirSync(desk.project);
  await served(desk);
  const { daemons } = JSON.parse((await desk.run("bridge", "status", "--json")).out);
  expect(daemons).toMatchObject([{ pid: process.pid, cwd: desk.project }]);
});

test("what is installed twice is said at the installation and by status, with the files", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  const { out } = await desk.run("bridge", "install", "codex", "--yes", "--scope", "project");
  const paths = `${join(desk.home, ".codex/hooks.json")} and ${join(desk.project, ".codex/hooks.json")}`;
  expect(out).toContain(
    `by ${paths}. Hooks are asked once about a tool call with an id, and twice about everything else`,
  );
  expect((await desk.run("bridge", "status", "codex")).out).toContain(`by ${paths}`);
  await desk.run("bridge", "install", "claude", "--yes", "--scope", "project");
  const shared = (await desk.run("bridge", "install", "copilot", "--yes")).out;
  expect(shared).toMatch(
    /installed twice: .*preToolUse.* and .*\.claude\/settings\.json\. An entry of another agent stays silent if this agent has its own/,
  );
});

test("an agent that reads another one's file is found to ask twice, by the moment and not by the name", async () => {
  using desk = new Desk();
  const adapterOf = (name: string, reads: readonly string[]): HostAdapter => ({
    path: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, `.${name}/settings.json`),
    unit: "s",
    format: () => groupsFormat(),
    trust: {},
    reads: reads.map((host) => ({ host, scopes: ["user"] })),
  });
  const host = (name: string, reads: readonly string[] = []): BridgeHost => ({
    ...rig,
    name,
    adapter: async () => adapterOf(name, reads),
  });
  const { Before, Start, Prompt } = rig.events as Required<typeof rig.events>;
  const first = { ...host("first"), events: { PreToolUse: Before, Other: Prompt } as never };
  const second = { ...host("second", ["first"]), events: { preToolUse: Before, start: Start } as never };
  const entry = (event: string): object => ({
    [event]: [
      {
        hooks: [
          {
            type: "command",
            command: `[ -x /h/bin/hookline-hook ] && exec /h/bin/hookline-hook x ${event} --origin x-user --deadline 5000; exit 0`,
            timeout: 5,
          },
        ],
      },
    ],
  });
  const write = (path: string, event: string): string => desk.write(path, JSON.stringify({ hooks: entry(event) }));
  const at = { home: desk.home, hooklineHome: join(desk.home, ".hookline"), cwd: desk.project, env: {} };
  const hosts = { first: async () => first, second: async () => second };
  const doubled = () => doubledIn(second, at, hosts);
  const [one, two] = [write("~/.first/settings.json", "PreToolUse"), write(".second/settings.json", "preToolUse")];
  expect(await doubled()).toEqual([{ event: "preToolUse", paths: [two, one], isShared: true }]);
  expect(await doubledIn(first, at, hosts)).toEqual([]);
  write("~/.first/settings.json", "Other");
  expect(await doubled()).toEqual([]);
  desk.write("~/.first/settings.json", "{");
  expect(await doubled()).toEqual([]);
  // It reads only the person's.
  write(".first/settings.json", "PreToolUse");
  expect(await doubled()).toEqual([]);
});

/** Returns the output of `bridge status` for one agent, as data and as text. */
async function statusOf(desk: Desk, host: string) {
  const { out, code } = await desk.run("bridge", "status", host);
  const [data] = JSON.parse((await desk.run("bridge", "status", host, "--json")).out).hosts;
  return { out, code, data };
}

test.each([
  ["claude", "~/.claude/settings.json", "PreToolUse", '"hooks": [', '"matcher": "Bash", "hooks": ['],
  ["claude", "~/.claude/settings.json", "PreToolUse", '"timeout"', '"async": true, "timeout"'],
  ["cursor", "~/.cursor/hooks.json", "preToolUse", '"failClosed": true', '"failClosed": false'],
])(
  "status says of %s that its entry in %s has changed since installation for %s with %s as %s",
  async (host, file, event, ...edit) => {
    using desk = new Desk();
    await desk.run("bridge", "install", host, "--yes");
    const [before, after = ""] = (desk.read(file) ?? "").split(new RegExp(`(?="${event}": \\[)`));
    desk.write(file, `${before}${after.replace(edit[0] as string, edit[1] as string)}`);
    const { out, data } = await statusOf(desk, host);
    expect(out).toContain(`changed since installation in ${desk.at(file)}: ${event};`);
    expect(data.installed.filter(({ intact }: { intact: boolean }) => !intact)).toMatchObject([{ entry: event }]);
  },
);

test("status names the guards that were taken out of a file, but no observers, which nobody has to install", async () => {
  using desk = new Desk();
  const file = ".claude/settings.json";
  await desk.run("bridge", "install", "claude", "--yes", "--scope", "project");
  const { hooks } = JSON.parse(desk.read(file) ?? "");
  const { PreToolUse, PostCompact, ...others } = hooks;
  desk.write(file, JSON.stringify({ hooks: others }));
  const { out, data } = await statusOf(desk, "claude");
  expect(out).toContain(`${desk.at(file)} has no entries for these guards: PreToolUse;`);
  expect(out).toContain("`hookline bridge install claude --scope project` repairs this");
  expect(data.missing).toEqual([{ scope: "project", path: desk.at(file), event: "PreToolUse" }]);
  await desk.run("bridge", "install", "claude", "--yes", "--guards-only", "--scope", "project");
  expect((await statusOf(desk, "claude")).data.missing).toEqual([]);
});

test("a person's home folder is not a project with its own file", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "gemini", "--yes");
  const text = desk.read("~/.gemini/settings.json");
  desk.project = desk.home;
  const { out, data } = await statusOf(desk, "gemini");
  expect(out).toMatch(/^Gemini CLI +9 +– +yes +yes$/m);
  expect(data.installed.every(({ intact }: { intact: boolean }) => intact)).toBe(true);
  for (const word of ["install", "remove"])
    expect((await desk.run("bridge", word, "gemini", "--yes", "--scope", "project")).err).toContain("your own file");
  expect(desk.read("~/.gemini/settings.json")).toBe(text);
});

test.each([
  ["claude", { disableAllHooks: true }],
  ["qwen", { disableAllHooks: true }],
  ["gemini", { hooksConfig: { enabled: false } }],
])(
  "status and install say that %s runs no hooks where its settings are %j, of which the project's decide",
  async (host, off) => {
    using desk = new Desk();
    const [file, project] = [`~/.${host}/settings.json`, `.${host}/settings.json`];
    desk.write(file, JSON.stringify(off));
    const says = `runs no hooks: ${desk.at(file)} sets `;
    expect((await desk.run("bridge", "install", host, "--yes")).err).toContain(says);
    const { out, code } = await statusOf(desk, host);
    expect([out, code]).toEqual([expect.stringContaining(says), 1]);
    const on = JSON.stringify(off).replace(/true|false/, (value) => String(value !== "true"));
    desk.write(project, on);
    expect((await statusOf(desk, host)).code).toBe(0);
  },
);

test("status names the entries that a person has switched off in Gemini CLI", async () => {
  using desk = new Desk();
  const file = "~/.gemini/settings.json";
  await desk.run("bridge", "install", "gemini", "--yes");
  const settings = JSON.parse(desk.read(file) ?? "");
  const disabled = [settings.hooks.BeforeTool[0].hooks[0].command];
  desk.write(file, JSON.stringify({ ...settings, hooksConfig: { disabled } }));
  expect((await statusOf(desk, "gemini")).out).toContain(`skips BeforeTool: ${desk.at(file)} lists them`);
});

test.each([
  [true, "yes"],
  [false, "no"],
])("an entry that Codex trusts and has as enabled: %s, is said to be run: %s", async (enabled, word) => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  const sourcePath = desk.at("~/.codex/hooks.json");
  const { command } = JSON.parse(desk.read("~/.codex/hooks.json") ?? "").hooks.PreToolUse[0].hooks[0];
  const hook = { sourcePath, command, trustStatus: "trusted", enabled };
  const listed = JSON.stringify({ data: [{ hooks: [hook] }] });
  const script = `#!/usr/bin/env node
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => console.log(JSON.stringify({ id: JSON.parse(line).id, result: ${listed} })));
`;
  chmodSync(desk.write("../bin/codex", script), 0o755);
  expect((await statusOf(desk, "codex")).out).toMatch(new RegExp(`^Codex +11 +– +yes +${word}$`, "m"));
});

test("status tells the version of an agent's program that is on the path, without running it", async () => {
  using desk = new Desk();
  const install = async (target: string, name: string): Promise<string> => {
    mkdirSync(join(desk.top, "bin"), { recursive: true });
    rmSync(join(desk.top, "bin", name), { force: true });
    symlinkSync(desk.write(target, `#!/bin/sh\ntouch ${join(desk.top, "was-run")}\n`), join(desk.top, "bin", name));
    chmodSync(desk.at(target), 0o755);
    await desk.run("bridge", "install", name, "--yes");
    return (await desk.run("bridge", "status", name)).out;
  };
  const lib = "~/.nvm/versions/node/v24.1.0/lib/node_modules/@google/gemini-cli";
  desk.write(`${lib}/package.json`, JSON.stringify({ version: "0.99.1", bin: { gemini: "bundle/gemini.js" } }));
  desk.write(`${lib}/bundle/package.json`, JSON.stringify({ version: "1.1.1", type: "module" }));
  expect(await install(`${lib}/bundle/gemini.js`, "gemini")).toContain(
    "version 0.99.1 is on your path, which was not tried",
  );
  const { hosts } = JSON.parse((await desk.run("bridge", "status", "gemini", "--json")).out);
  expect(hosts).toMatchObject([{ version: "0.99.1", recorded: "0.61.0" }]);
  expect(await install("~/Cellar/qwen/0.30.0/bin/qwen", "qwen")).toContain("version 0.30.0 is on your path");
  // The version of what has merely brought a program is not the program's.
  expect(await install("~/.nvm/versions/node/v24.1.0/bin/qwen", "qwen")).not.toContain("on your path");
  expect(existsSync(join(desk.top, "was-run"))).toBe(false);
});

test("status blames the folder of the sockets, not the client, if no daemon can run there", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  desk.write("~/.hookline/run", "");
  const { code, out, err } = await desk.run("bridge", "status", "codex");
  expect(err).toBe("");
  expect([code, out]).toEqual([1, expect.stringContaining("no daemon can run, so guarded events are refused: ")]);
  expect(out).toContain(`Make ${desk.at("~/.hookline/run/bridge")} usable: `);
  expect(out).not.toContain("does not work");
});
