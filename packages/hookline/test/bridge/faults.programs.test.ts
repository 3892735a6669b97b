import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildClient } from "../../../../scripts/bridge-client.ts";
import { askDaemon } from "../../../bridge/src/client/client.ts";
import { FrameReader, REQUEST_FRAMES, readHeader } from "../../../bridge/src/client/frame.ts";
import { temporaryFolder } from "../../../bridge/test/support/temporary.ts";
import { isAlive } from "../../../ground/src/store/owner.ts";
import { ABSENT, Rigged } from "./support/rigged.ts";

const folder = temporaryFolder();
const client = buildClient(folder) ?? "";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Counts what it is asked, refuses `rm`, takes its time for `slow`, and is held at `hold` until there is a file `go`. */
const GUARD = `import { appendFileSync, existsSync } from "node:fs";
export default (pi) => {
  let asked = 0;
  pi.on("tool_call", async ({ input }) => {
    const command = String(input.command);
    appendFileSync(process.env.HOME + "/asked.txt", command + "\\n");
    if (command.startsWith("slow")) await new Promise((end) => setTimeout(end, Number(command.split(" ")[1])));
    while (command === "hold" && !existsSync(process.env.HOME + "/go")) await new Promise((end) => setTimeout(end, 20));
    asked += 1;
    if (command === "how many") return { block: true, reason: String(asked) };
    return command.includes("rm") ? { block: true, reason: "no rm" } : undefined;
  });
};
`;

function rigged(): Rigged {
  const at = new Rigged(client);
  at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  onTestFinished(() => at.close());
  return at;
}

const asked = (at: Rigged): string => {
  const file = join(at.home, "asked.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};
const call = (command: string, more: object = {}): object => ({ args: { command }, ...more });
const deny = (because: string): object => ({ deny: `hookline is not reachable (${because})` });

/** Notes what a module sees of the environment. */
const MODULE = `import { writeFileSync } from "node:fs";
writeFileSync(process.env.HOME + "/module.txt", JSON.stringify(process.env));
export default () => {};
`;

/** Notes its environment, and hangs where it is told to. */
const HANGING = `env > "$HOME/env.txt"; if grep -q hang; then echo $$ > "$HOME/pid.txt"; sleep 60; echo > "$HOME/late.txt"; fi`;

describe.skipIf(client === "")("the native client", () => {
  // One daemon for all that needs one in good health; each test has sessions of its own.
  let shared: Rigged;
  const env = { OPENAI_API_KEY: "sk-1", RIG_API_KEY: "k", RIG_FOLDER: "/r", UNKNOWN: "u", CODEX_API_KEY: "c" };
  beforeAll(() => {
    if (client === "") return;
    shared = new Rigged(client);
    shared.write("~/.pi/agent/extensions/guard.ts", GUARD);
    shared.write("~/.pi/agent/extensions/env.ts", MODULE);
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: HANGING }] }] };
    shared.write("~/.claude/settings.json", JSON.stringify({ hooks }));
  });
  afterAll(() => shared?.close());

  test("starts the daemon once for many calls, and one session of a host keeps its hooks' memory", async () => {
    const at = shared;
    const commands = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? `ls ${n}` : `rm ${n}`));
    const answers = await Promise.all(commands.map((command) => at.ask("Before", call(command), { env })));
    expect(answers).toEqual(commands.map((command) => (command.startsWith("rm") ? { deny: "no rm" } : {})));
    expect(await at.ask("Before", call("how many"))).toEqual({ deny: "51" });
    expect(await at.ask("Before", call("how many", { session: "other" }))).toEqual({ deny: "1" });
    expect(at.log().match(/ serves /g)).toHaveLength(1);
    expect(readFileSync(at.place.table, "utf8")).toContain("closed rig Before\n");
  });

  test("refuses guards and nothing else while the daemon hangs, and when it was killed", async () => {
    const at = rigged();
    expect(await at.ask("Before", call("ls"))).toEqual({});
    process.kill(at.pid, "SIGSTOP");
    const soon = { args: ["--deadline", "300"], hasAll: true };
    expect(await at.ask("Before", call("ls"), soon)).toEqual(deny("no answer in time"));
    expect(await at.tell("After", call("ls"), soon)).toEqual({ exit: 0, stdout: "", stderr: "" });
    // The daemon has left word that no guard hangs here.
    expect(await at.tell("Prompt", { text: "x" }, soon)).toEqual({ exit: 0, stdout: "", stderr: "" });
    // For a session in a fleet it knows nothing.
    const member = { ...soon, env: { HOOKLINE_FLEET_URL: "tls://f" } };
    expect(await at.ask("Prompt", { text: "x" }, member)).toEqual(deny("no answer in time"));
    process.kill(at.pid, "SIGCONT");
    const slow = at.start("Before", call("slow 60000"));
    const observed = at.start("After", call("ls"));
    await expect.poll(() => asked(at)).toContain("slow");
    await observed.told;
    process.kill(at.pid, "SIGKILL");
    expect(JSON.parse((await slow.told).stdout)).toEqual(deny("the connection ended before the answer"));
    // Files of a dead daemon do not keep a new one from its place.
    expect(await at.ask("Before", call("rm x"))).toEqual({ deny: "no rm" });
  });

  test("refuses where no daemon can be started, and where its files are not whole", async () => {
    const at = new Rigged(client, [ABSENT, "x"]);
    onTestFinished(() => at.close());
    const soon = { args: ["--deadline", "100"], hasAll: true };
    expect(await at.ask("Before", call("ls"), soon)).toEqual(deny("no daemon could be reached in time"));
    expect(await at.tell("After", call("ls"), soon)).toMatchObject({ exit: 0, stdout: "" });
    rmSync(join(at.hooklineHome, "bin/bridge"), { recursive: true });
    const bare = await at.tell("Before", call("ls"), soon);
    expect(bare).toMatchObject({ exit: 2, stdout: "" });
    expect(bare.stderr).toContain("run `hookline bridge install` again");
    expect(await at.tell("../x", "{}")).toMatchObject({ exit: 2, stdout: "" });
  });

  test("speaks to no socket that could be somebody else's", async () => {
    const at = rigged();
    const { folder, socket } = at.place;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const yes = createServer((connection) => connection.end(Buffer.from("\0\0\0\x010\0\0\0\x02{}\0\0\0\0")));
    await once(yes.listen(socket), "listening");
    onTestFinished(() => void yes.close());
    expect(await at.ask("Before", call("ls"))).toEqual({});
    chmodSync(folder, 0o755);
    expect(await at.ask("Before", call("ls"))).toEqual(deny("other users can use the socket's folder"));
    chmodSync(folder, 0o700);
    if (process.getuid?.() === 0) {
      chownSync(socket, 65534, 65534);
      expect(await at.ask("Before", call("ls"))).toEqual(deny("other users can use the socket"));
    }
    rmSync(socket);
    writeFileSync(socket, "");
    expect(await at.ask("Before", call("ls"))).toEqual(deny("the file at the socket's path is not a socket"));
  });

  test.skipIf(process.getuid?.() !== 0)("believes no program of another user behind a socket of ours", async () => {
    const at = rigged();
    const { folder, socket } = at.place;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The way to the socket is opened while the other program takes it.
    for (const path of [at.top, at.home, at.hooklineHome, join(at.hooklineHome, "run"), folder]) chmodSync(path, 0o777);
    const program = `process.setgid(65534); process.setuid(65534);
      require("node:net").createServer((c) => c.on("error", () => {}).end(Buffer.from("\\0\\0\\0\\x010\\0\\0\\0\\x02{}\\0\\0\\0\\0"))).listen(${JSON.stringify(socket)}, () => console.log("listens"));`;
    const other = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other.stdout, "data");
    chownSync(socket, 0, 0);
    chmodSync(folder, 0o700);
    const because = "another user's program answers in the place of the daemon";
    expect(await at.ask("Before", call("ls"))).toEqual(deny(because));
  });

  test("sends the variables on the host's list, and no others", async () => {
    const at = rigged();
    const { folder, socket } = at.place;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const reader = new FrameReader(REQUEST_FRAMES);
    let sent: unknown;
    const server = createServer((connection) => {
      connection.on("data", (piece) => {
        const [header] = reader.push(piece) ?? [];
        if (header === undefined) return;
        sent = readHeader(header).env;
        connection.end(Buffer.from("\0\0\0\x010\0\0\0\x02{}\0\0\0\0"));
      });
    });
    await once(server.listen(socket), "listening");
    onTestFinished(() => void server.close());
    const listed = { CI: "", LC_ALL: "a=b", LC_: "1", RIG_: "2", RIG_A: "3", "RIG_*": "4", HOOKLINE_FLEET_URL: "5" };
    const others = { CIX: "1", C: "1", LC: "1", RIG: "1", XRIG_A: "1", "LC*": "1", "*": "1", lc_all: "1", RIGA_: "1" };
    expect(await at.ask("Before", call("ls"), { env: { ...listed, ...others } })).toEqual({});
    const always = { PATH: process.env["PATH"], HOME: at.home, HOOKLINE_HOME: at.hooklineHome };
    expect(sent).toEqual({ ...always, ...listed });
  });

  test("refuses for what is no answer, and for what is too large to be asked", async () => {
    const at = rigged();
    const { folder, socket } = at.place;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const answers = ["\0\0\0\x010\0\0", "\xff\xff\xff\xff", "\0\0\0\x01x\0\0\0\0\0\0\0\0"];
    const server = createServer((connection) => {
      connection.on("error", () => {});
      connection.end(Buffer.from(answers.shift() ?? "", "latin1"));
    });
    await once(server.listen(socket), "listening");
    onTestFinished(() => void server.close());
    expect(await at.ask("Before", call("ls"))).toEqual(deny("the connection ended before the answer"));
    expect(await at.ask("Before", call("ls"))).toEqual(deny("the answer is too large"));
    expect(await at.ask("Before", call("ls"))).toEqual(deny("the answer cannot be read"));
    expect(await at.ask("Before", "x".repeat(8 * 1024 * 1024 + 1))).toEqual(deny("the host sent more than 8 MiB"));
    const huge = { RIG_HUGE: "x".repeat(100_000), RIG_HUGE2: "x".repeat(100_000), RIG_HUGE3: "x".repeat(100_000) };
    expect(await at.ask("Before", call("ls"), { env: huge })).toEqual(deny("the environment is too large"));
  });

  test("asks the next daemon where one went away before it had read the request, and only once", async () => {
    const at = rigged();
    const { folder, socket } = at.place;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const answers = [undefined, "\0\0\0\x010\0\0\0\x02{}\0\0\0\0", undefined, undefined];
    const server = createServer({ pauseOnConnect: true }, async (connection) => {
      connection.on("error", () => {});
      const answer = answers.shift();
      await wait(50);
      if (answer === undefined) connection.destroy();
      else connection.resume().end(Buffer.from(answer, "latin1"));
    });
    await once(server.listen(socket), "listening");
    onTestFinished(() => void server.close());
    expect(await at.ask("Before", call("ls"))).toEqual({});
    expect(await at.ask("Before", call("ls"))).toEqual(deny("the connection ended before the request was read"));
    expect(answers).toEqual([]);
  });

  test("starts another daemon where one was killed before it took the request", async () => {
    const at = rigged();
    expect(await at.ask("Before", call("ls"))).toEqual({});
    await expect.poll(() => at.connections()).toBe(0);
    process.kill(at.pid, "SIGSTOP");
    const { told } = at.start("Before", call("rm x"));
    await expect.poll(() => at.connections()).toBe(1);
    process.kill(at.pid, "SIGKILL");
    expect(JSON.parse((await told).stdout)).toEqual({ deny: "no rm" });
    expect(asked(at)).toBe("ls\nrm x\n");
  });

  test("whose host goes away ends the hooks that it waited for", async () => {
    const at = shared;
    const { child } = at.start("Before", call("hang", { session: "gone" }));
    const noted = join(at.home, "pid.txt");
    await expect.poll(() => (existsSync(noted) ? readFileSync(noted, "utf8") : "")).toMatch(/\d/);
    const pid = Number(readFileSync(noted, "utf8"));
    child.kill("SIGKILL");
    await expect.poll(() => isAlive(String(pid))).toBe(false);
    expect(existsSync(join(at.home, "late.txt"))).toBe(false);
    // The hook may be gone before the daemon has said why.
    await expect.poll(() => at.log()).toContain("the host has exited");
  });

  test("is answered in order within a session, and what cannot begin in time is refused", async () => {
    const at = shared;
    const own = { session: "in order" };
    await at.ask("Before", call("ls in order", own));
    const first = at.start("Before", call("hold", own));
    await expect.poll(() => asked(at)).toContain("hold");
    const input = Buffer.from(JSON.stringify({ ...call("ls in order"), ...own }));
    const about = { host: "rig", event: "Before", origin: "", cwd: at.project, detach: false, input };
    const request = { ...about, deadlineMs: 400, env: { HOME: at.home, PATH: process.env["PATH"] ?? "" } };
    const [behind, elsewhere, native] = await Promise.all([
      // This client waits for what the daemon says, however late that comes.
      askDaemon({ place: at.place, request, timeoutMs: 60_000 }),
      at.ask("Before", call("ls in order", { session: "beside" })),
      at.ask("Before", call("ls in order", own), { args: ["--deadline", "400"], hasAll: true }),
    ]);
    expect(JSON.parse(behind.stdout)).toEqual({ deny: "hookline: no answer within 400 ms" });
    expect(elsewhere).toEqual({});
    expect(native).toEqual({ deny: expect.stringMatching(/no answer (within 400 ms|in time)/) });
    at.write("~/go", "");
    expect(JSON.parse((await first.told).stdout)).toEqual({});
    const lines = asked(at).split("\n");
    expect(lines.filter((line) => line === "ls in order")).toHaveLength(2);
  });

  test("gives the same call from two installed entries one answer", async () => {
    const at = shared;
    const same = { call: "call_1", ...call("how many", { session: "twice" }) };
    const answers = await Promise.all(
      ["user", "project"].map((origin) => at.ask("Before", same, { args: ["--origin", origin] })),
    );
    expect(answers).toEqual([{ deny: "1" }, { deny: "1" }]);
    expect(await at.ask("Before", same, { args: ["--origin", "user"] })).toEqual({ deny: "2" });
  });

  test("works with a full disk behind the log, and with a daemon of another protocol beside it", async () => {
    const at = rigged();
    mkdirSync(at.place.folder, { recursive: true, mode: 0o700 });
    symlinkSync("/dev/full", at.place.log);
    expect(await at.ask("Before", call("rm x"))).toEqual({ deny: "no rm" });
    const raw = connect(at.place.socket);
    const header = Buffer.from(["hookline/2", "rig", "Before", "", "/", "100", ""].join("\0"));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(header.length);
    raw.write(Buffer.concat([length, header, Buffer.alloc(4)]));
    await once(raw, "close");
    expect(raw.bytesRead).toBe(0);
    expect(await at.ask("Before", call("ls"))).toEqual({});
  });

  test("lets no key of a model through to hooks, whose variables are the session's", async () => {
    const at = shared;
    await at.ask("Before", call("ls", { session: "env" }), { env });
    const seen = readFileSync(join(at.home, "env.txt"), "utf8");
    expect(seen).toContain("RIG_FOLDER=/r\n");
    for (const text of [seen, readFileSync(join(at.home, "module.txt"), "utf8")])
      expect(text).not.toMatch(/sk-1|UNKNOWN|CODEX_API_KEY|OPENAI/);
  });
});
