import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { daemonPlace, folderProblem, makeRunFolder, placeIn } from "../../../bridge/src/client/place.ts";
import { claim } from "../../../bridge/src/daemon/claim.ts";
import { hostWords } from "../../../bridge/src/daemon/host-process.ts";
import { Line } from "../../../bridge/src/daemon/line.ts";
import { allowedEnvironment, allowedNames } from "../../../bridge/src/host/environment.ts";
import { rig } from "../../../bridge/test/fixtures/rig.ts";
import { temporaryFolder } from "../../../bridge/test/support/temporary.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { opened } from "./support/opened.ts";

const top = temporaryFolder();
afterAll(() => rmSync(top, { recursive: true, force: true }));

const CLOSED = `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "closed" }));`;

test("a project's hook that nobody has approved does not run, which is said once", async () => {
  const at = opened();
  at.write(".pi/extensions/guard.ts", CLOSED);
  expect(await at.ask("Before", { args: { command: "ls" } })).toEqual({});
  const line = "hookline: 1 project hook waits for approval and does not run: `hookline trust`";
  expect(await at.ask("Start", {})).toEqual({ notices: [line] });
  expect(await at.ask("Start", {})).toEqual({ notices: [] });
});

test("a rule asks about a program that is not known only where somebody can be asked, and else tells once that it passed [claude.rules.2]", async () => {
  let isAttended = true;
  const at = opened({ ...rig, asks: () => isAttended });
  at.write("~/.claude/settings.json", JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }));
  const ask = (command: string) => at.ask("Before", { args: { command } });
  const asked = { ask: expect.stringContaining("mywrap") };
  expect(await ask("mywrap rm -f x")).toEqual(asked);
  const passed = expect.stringMatching(/The rule "Bash\(rm \*\)" of .* let a command pass.*mywrap/);
  expect(await at.ask("Start", {})).not.toEqual({ notices: expect.arrayContaining([passed]) });
  isAttended = false;
  for (let times = 0; times < 2; times++) expect(await ask("mywrap rm -f x")).toEqual({});
  expect(await at.ask("Start", {})).toMatchObject({ notices: [passed] });
  expect(await ask("$PROGRAM -f x")).toEqual({ ask: expect.stringContaining("$PROGRAM") });
  expect(await ask("rm -f x")).toEqual({ deny: expect.stringContaining("rm *") });
  isAttended = true;
  expect(await ask("mywrap rm -f x")).toEqual(asked);
});

test("a host that cannot ask is unattended", async () => {
  const at = opened();
  at.write("~/.claude/settings.json", JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }));
  expect(await at.ask("Before", { args: { command: "mywrap rm -f x" } })).toEqual({});
});

test("an agent that prints its answer and ends can ask nobody", async () => {
  const asks = async (name: string, words: string, payload = {}): Promise<boolean | undefined> =>
    (await HOSTS[name]?.())?.asks?.({ session: "s", payload }, words.split(" "));
  for (const words of ["claude -p x", "claude -cp x", "claude --print x", "node cli.js --model m -p"])
    expect([words, await asks("claude", words)]).toEqual([words, false]);
  for (const words of [
    "",
    "claude",
    "claude --permission-mode plan",
    "claude -- -p",
    "claude -p --permission-prompt-tool t",
  ])
    expect([words, await asks("claude", words)]).toEqual([words, true]);
  expect(await asks("claude", "claude", { permission_mode: "dontAsk" })).toBe(false);
  for (const name of ["copilot", "qwen"]) {
    for (const words of [`${name} -p x`, `${name} --prompt=x`, `node ${name}.js --yolo --prompt x`])
      expect([words, await asks(name, words)]).toEqual([words, false]);
    for (const words of ["", name, `${name} -i x`, `${name} --prompt-interactive x`, `${name} -- -p`])
      expect([words, await asks(name, words)]).toEqual([words, true]);
  }
});

test.skipIf(process.platform !== "linux")(
  "a host's command line is seen over the shell that starts the client",
  async () => {
    const own = readFileSync("/proc/self/cmdline", "utf8").split("\0");
    const shell = spawn("/bin/sh", ["-c", "read line; :"], { stdio: "pipe" });
    const [program = "", ...args] = [process.execPath, "-e", "process.stdin.resume()", "--", "-p"];
    const host = spawn(program, args, { stdio: "pipe" });
    try {
      await Promise.all([once(shell, "spawn"), once(host, "spawn")]);
      await vi.waitFor(() => expect(hostWords(shell.pid)).toEqual(own));
      expect(hostWords(host.pid)).toEqual([program, ...args, ""]);
      expect(hostWords(undefined)).toEqual([]);
    } finally {
      for (const { stdin } of [shell, host]) stdin.end();
    }
  },
);

test("what must run and does not refuses every guard of the session, and names it", async () => {
  const at = opened();
  at.write("~/.hookline/settings.json", JSON.stringify({ required: ["~/guard.ts"] }));
  const refusal = { deny: expect.stringContaining("hookline refuses calls, because something that must run does not") };
  expect(await at.ask("Before", { args: {} })).toEqual(refusal);
  expect(await at.ask("Prompt", { text: "x" })).toEqual({ deny: expect.stringContaining("~/guard.ts") });
  expect(await at.ask("After", { args: {} })).toEqual({});
});

test("a broken extension refuses as it ends a run of the agent, and a mended one counts from the next session on", async () => {
  const at = opened();
  at.write("~/.pi/agent/extensions/guard.ts", "export default (");
  expect(await at.ask("Before", { args: {} })).toEqual({ deny: expect.stringContaining("guard.ts") });
  at.write("~/.pi/agent/extensions/guard.ts", CLOSED);
  expect(await at.ask("Before", { session: "next", args: {} })).toEqual({ deny: "closed" });
});

test("hooks of the host's own dialect are left to it, and are not missed where they must run", async () => {
  const own = { ...rig, dialect: "pi" };
  const at = opened(own);
  const path = at.write("~/.pi/agent/extensions/guard.ts", CLOSED);
  at.write("~/.hookline/settings.json", JSON.stringify({ required: [path] }));
  expect(await at.ask("Before", { args: { command: "ls" } })).toEqual({});
});

test("hooks of the host's dialect run here, where the host does not look for them", async () => {
  const at = opened({ ...rig, dialect: "pi" });
  const path = at.write("~/.hookline/extensions/guard.ts", CLOSED);
  at.write("~/.pi/agent/extensions/other.ts", CLOSED.replace("closed", "by pi itself"));
  expect(await at.ask("Before", { args: { command: "ls" } })).toEqual({ deny: "closed" });
  // A hook that pi loads itself is left to pi, wherever else it is named.
  symlinkSync(path, join(at.home, ".pi/agent/extensions/guard.ts"));
  expect(await at.ask("Before", { session: "next", args: { command: "ls" } })).toEqual({});
});

test("hooks see a session that began elsewhere as a continued one, and each of its ends once", async () => {
  const at = opened();
  const note = join(at.home, "told.txt");
  at.write(
    "~/.pi/agent/extensions/notes.ts",
    `import { appendFileSync } from "node:fs";
     const note = (text) => appendFileSync(${JSON.stringify(note)}, text + "\\n");
     export default (pi) => {
       pi.on("session_start", ({ reason }) => note("start " + reason));
       pi.on("session_shutdown", () => note("end"));
     };`,
  );
  await at.ask("Before", { args: {} });
  await at.ask("Before", { args: {} });
  await at.ask("End", {});
  await expect.poll(() => at.sessions.size).toBe(0);
  // An adapter that is installed twice says so twice.
  await at.ask("End", {});
  expect(at.sessions.size).toBe(0);
  await at.ask("Start", { session: "new" });
  await at.sessions.closeAll();
  expect(readFileSync(note, "utf8")).toBe("start resume\nend\nstart startup\nend\n");
});

test("a recording that the settings want names the host, and keeps what was decided", async () => {
  const at = opened();
  at.write("~/.pi/agent/extensions/guard.ts", CLOSED);
  at.write("~/.hookline/settings.json", JSON.stringify({ record: "decisions" }));
  await at.ask("Before", { args: { command: "ls" } });
  await at.sessions.closeAll();
  const folder = join(at.home, ".hookline/recordings");
  const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
  const [header, ...moments] = lines.map((line) => JSON.parse(line));
  expect(header).toMatchObject({ kind: "recording", session: "s", cwd: at.cwd, host: "rig" });
  expect(moments).toContainEqual(
    expect.objectContaining({ event: "tool.before", outcome: expect.objectContaining({ reason: "closed" }) }),
  );
});

test("a host's file tools do not change what decides about hooks, whoever rewrote the path", async () => {
  const at = opened();
  const write = (path: string): Promise<unknown> => at.ask("Write", { args: { path, content: "x" } });
  const refused = { deny: expect.stringContaining("only a person may change it") };
  expect(await write("a.txt")).toEqual({});
  expect(await write("~/.rig/hooks.json".replace("~", at.home))).toEqual(refused);
  expect(await write(join(at.home, ".hookline/bin/hookline-hook"))).toEqual(refused);
  expect(await write(".pi/extensions/new.ts")).toEqual(refused);
  const input = "*** Begin Patch\n*** Add File: .pi/extensions/x.ts\n+x\n*** End Patch";
  expect(await at.ask("Write", { args: { input } })).toEqual(refused);
  const patch = "*** Begin Patch\n  *** Update File: ~/.rig/hooks.json\n+x\n*** End Patch".replace("~", at.home);
  expect(await at.ask("Write", { args: { command: ["apply_patch", patch] } })).toEqual(refused);
  const shell = (command: string): Promise<unknown> => at.ask("Before", { args: { command } });
  expect(await shell(`apply_patch <<'EOF'\n${patch}\nEOF`)).toEqual(refused);
  expect(await shell("apply_patch <<'EOF'\n*** Add File: a.txt\n+x\nEOF")).toEqual({});
  at.write(
    "~/.pi/agent/extensions/swap.ts",
    `export default (pi) => pi.on("tool_call", ({ input }) => { input.path = ".pi/settings.json"; });`,
  );
  expect(await at.ask("Write", { session: "t", args: { path: "a.txt" } })).toEqual(refused);
});

test("hooks make a host's agent continue as often as the lowest limit allows, and the person is told", async () => {
  const at = opened();
  at.write(
    "~/.claude/settings.json",
    JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: "command", command: `echo '{"decision":"block","reason":"go on"}'` }] }] },
    }),
  );
  for (let n = 0; n < 8; n++) expect(await at.ask("Stop", {})).toMatchObject({ goOn: "go on" });
  const last = (await at.ask("Stop", {})) as { readonly goOn?: string; readonly notices: readonly string[] };
  expect(last.goOn).toBeUndefined();
  expect(last.notices.join()).toContain("8");
  await at.ask("Prompt", { text: "more" });
  expect(await at.ask("Stop", {})).toMatchObject({ goOn: "go on" });
});

test("an unreadable payload makes a guard refuse and does nothing at an observer; an unknown event refuses", async () => {
  const at = opened();
  expect(await at.ask("Before", "{")).toEqual({ deny: expect.stringContaining("is not JSON") });
  expect(await at.ask("Before", "3")).toMatchObject({ deny: expect.stringContaining("hookline: ") });
  expect(await at.ask("After", "{")).toBeUndefined();
  expect(await at.ask("Prompt", { text: "to be ignored" })).toBeUndefined();
  expect(await at.ask("Nothing", {})).toEqual({ exit: 2, stderr: expect.stringContaining('no event "Nothing"') });
});

test("calls of a line come one after the other, and the 65th that would wait is refused", async () => {
  const line = new Line();
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const done: number[] = [];
  const never = new AbortController().signal;
  const first = line.run(never, () => held);
  await wait(1);
  const waiting = Array.from({ length: 64 }, (_, n) => line.run(never, async () => void done.push(n)));
  await expect(line.run(never, async () => {})).rejects.toThrow("queue: 64 calls are already waiting");
  go();
  await Promise.all([first, ...waiting]);
  expect(done).toEqual(Array.from({ length: 64 }, (_, n) => n));
});

test("a call that gives up in a line leaves the order of the others as it was", async () => {
  const line = new Line();
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const never = new AbortController().signal;
  const given = new AbortController();
  const first = line.run(never, () => held);
  const second = line.run(given.signal, async () => "second");
  let isThird = false;
  const third = line.run(never, async () => void (isThird = true));
  given.abort();
  await expect(second).rejects.toThrow("queue");
  await wait(5);
  expect(isThird).toBe(false);
  go();
  await Promise.all([first, third]);
  expect(isThird).toBe(true);
});

test("the variables of a session are those on the list, and never a model's key", () => {
  const env = { PATH: "/bin", LC_ALL: "C", RIG_X: "1", RIG: "2", OPENAI_API_KEY: "k", CODEX_API_KEY: "k", OTHER: "3" };
  const allowed = [...allowedNames(rig), "CODEX_*", "OPENAI_API_KEY"];
  expect(allowedEnvironment(env, allowed)).toEqual({ PATH: "/bin", LC_ALL: "C", RIG_X: "1" });
  // A fleet's guards run behind the bridge, too, on a machine that is named to it by its environment alone.
  const fleet = { HOOKLINE_FLEET_URL: "tls://f", HOOKLINE_FLEET_CREDS: "c", HOOKLINE_FLEET_ROOT: "r" };
  expect(allowedEnvironment(fleet, allowedNames(rig))).toEqual(fleet);
});

test("a socket's path fits where the home's is too long, and its folder must be ours alone", () => {
  const long = join("/", "x".repeat(120));
  const { socket } = daemonPlace(long, "/", {});
  expect(socket).toMatch(/^\/tmp\/hookline-\d+-[0-9a-f]{8}\/[0-9a-f]{16}\.sock$/);
  expect(daemonPlace("/h", "/", { XDG_RUNTIME_DIR: "/run/user/1" }).folder).toBe("/run/user/1/hookline");
  expect(daemonPlace("/h", "/", { XDG_RUNTIME_DIR: "run" }).folder).toBe("/h/run/bridge");
  expect(daemonPlace("/h", "/a", {}).socket).not.toBe(daemonPlace("/h", "/b", {}).socket);
  const folder = join(top, "run");
  makeRunFolder(folder);
  expect(folderProblem(folder)).toBeUndefined();
  chmodSync(folder, 0o750);
  expect(() => makeRunFolder(folder)).toThrow(
    `${folder}: other users can use the socket's folder; it must be your own, with mode 700`,
  );
});

test("a place is claimed at once, unless somebody alive has just claimed it", async () => {
  const place = placeIn(join(temporaryFolder(), "run"), "0123456789abcdef");
  makeRunFolder(place.folder);
  // No time passes but where it is told to: however slow this machine is, the files are as old as they are said to be.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const claiming = (text: string, ageMs: number): Promise<boolean> => {
    writeFileSync(place.pid, text);
    const made = new Date(Date.now() - ageMs);
    utimesSync(place.pid, made, made);
    return claim(place, "new");
  };
  const claimed = async (text: string, ageMs: number): Promise<void> => {
    expect(await claiming(text, ageMs)).toBe(true);
    expect(readFileSync(place.pid, "utf8")).toBe("new");
  };
  for (const text of [`${process.pid}\n`, ""]) {
    const isOurs = claiming(text, 4000);
    expect(await Promise.race([isOurs, wait(500, "not yet")])).toBe("not yet");
    vi.setSystemTime(Date.now() + 2000);
    expect(await isOurs).toBe(true);
  }
  // A number that another program has by now.
  await claimed(`${process.pid}\n`, 10_000);
  await claimed(`${process.pid}\n`, -60_000);
  await claimed("999999999\n", 0);
  if (process.platform !== "linux") return;
  // The shell becomes a program that does not collect its children. It is one itself until then, so the child waits for that.
  const child = 'until [ "$(cat /proc/$$/comm)" = sleep ]; do sleep 0.05; done';
  const parent = spawn("sh", ["-c", `(${child}) & echo $!; exec sleep 600`], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const pid = Number(String((await once(parent.stdout, "data"))[0]));
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
  await claimed(`${pid}\n`, 0);
});
