import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, type TestContext, test, vi } from "vitest";
import { isSocket } from "../../../bridge/src/client/place.ts";
import { inProcessClient } from "../../../bridge/src/extension/text.ts";
import { isAlive } from "../../../ground/src/store/owner.ts";
import { CLIENTS, type ClientName, hasClient, riggedWith, verdictOf } from "./support/clients.ts";
import { DAEMON, type Rigged } from "./support/rigged.ts";

/** Refuses `rm`; keeps the daemon's main thread busy, or waits, for as many seconds as it is told. */
const GUARD = `export default (pi) => pi.on("tool_call", async ({ input }) => {
  const [what, seconds] = String(input.command).split(" ");
  const end = Date.now() + Number(seconds) * 1000;
  while (what === "busy" && Date.now() < end);
  if (what === "wait") await new Promise((done) => setTimeout(done, Number(seconds) * 1000));
  return what === "rm" ? { block: true, reason: "no rm" } : undefined;
});
`;

/** Longer than three bytes of the watchdog take. */
const LONG_S = 9;

const FINE = { answer: "{}" };

const call = (command: string): object => ({ args: { command } });

function rigged(client: ClientName, { onTestFinished }: Pick<TestContext, "onTestFinished">): Rigged {
  const at = riggedWith(client, DAEMON);
  at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  onTestFinished(() => at.close());
  return at;
}

const ask = (client: ClientName, at: Rigged, command: string, deadlineMs = 58_000) =>
  verdictOf(client, at, "Before", { deadlineMs, input: call(command) });

/** Stops the daemon once its watchdog listens: before that, no client takes it for one that hangs. Returns its process. */
async function hang({ pid, place }: Rigged): Promise<number> {
  await vi.waitFor(() => expect(isSocket(place.folder, place.live)).toBe(true), { timeout: 30_000 });
  process.kill(pid, "SIGSTOP");
  return pid;
}

describe.concurrent.each(CLIENTS)("the client %s", (client) => {
  const options = { skip: !hasClient(client), timeout: 180_000 };

  test("ends a daemon that hangs, and is answered by the next one", options, async (test) => {
    const at = rigged(client, test);
    expect(await ask(client, at, "ls")).toEqual(FINE);
    const pid = await hang(at);
    expect(await ask(client, at, "rm x")).toEqual({ answer: '{"deny":"no rm"}' });
    expect(isAlive(String(pid))).toBe(false);
    expect(at.pid).not.toBe(pid);
    expect(existsSync(at.place.starting)).toBe(false);
  });

  test("does not take a daemon for one that hangs whose hooks are slow, or keep it busy", options, async (test) => {
    const at = rigged(client, test);
    await ask(client, at, "ls");
    const { pid } = at;
    expect(await ask(client, at, `wait ${LONG_S}`)).toEqual(FINE);
    expect(await ask(client, at, `busy ${LONG_S}`)).toEqual(FINE);
    expect(at.pid).toBe(pid);
  });

  test.for([
    ["started at another time", (line: string) => line.replace(/ \d+ /, " 1 ")],
    ["ran another executable", (line: string) => line.replace(/\d+$/, "1")],
    ["does not say what it is, as one of 0.2.0", (line: string) => line.split(" ", 1).join("")],
  ] as const)("kills no process that %s", options, async ([, change], test) => {
    const at = rigged(client, test);
    await ask(client, at, "ls");
    const lines = readFileSync(at.place.pid, "utf8").split("\n");
    writeFileSync(at.place.pid, lines.map((line, i) => (i === 2 ? change(line) : line)).join("\n"), { mode: 0o600 });
    const pid = await hang(at);
    expect(await ask(client, at, "ls")).toEqual({ refusedBecause: "the daemon hangs" });
    expect(isAlive(String(pid))).toBe(true);
  });

  test("waits for a daemon without a watchdog until its time is over", options, async (test) => {
    const at = rigged(client, test);
    await ask(client, at, "ls");
    await hang(at);
    rmSync(at.place.live);
    expect(await ask(client, at, "ls", 8000)).toEqual({ refusedBecause: "no answer in time" });
  });
});

test("a host's own process refuses at once after the first failure, until the daemon answers again", async (test) => {
  const at = rigged("module", test);
  vi.stubEnv("HOME", at.home);
  test.onTestFinished(() => void vi.unstubAllEnvs());
  const file = join(at.top, "adapter.mjs");
  const text = inProcessClient({ host: "rig", origin: "user", hooklineHome: at.hooklineHome });
  writeFileSync(file, `${text}\nexport { hookline };\n`);
  const { hookline } = await import(pathToFileURL(file).href);
  const tell = (event: string, timeoutMs = 60_000) =>
    hookline(event, { session: "s", ...call("ls") }, { cwd: at.project, timeoutMs });
  await tell("Before");
  // Its claim does not say which process it is, so it is not ended.
  const lines = readFileSync(at.place.pid, "utf8").split("\n");
  writeFileSync(at.place.pid, lines.map((line, i) => (i === 2 ? "0" : line)).join("\n"), { mode: 0o600 });
  const pid = await hang(at);
  expect(await tell("Before")).toEqual({ away: "the daemon hangs", refuses: true });
  // Each of these would take more than six seconds.
  const events = Array.from({ length: 26 }, (_, n) => (n % 2 === 0 ? "Before" : "After"));
  const began = performance.now();
  for (const event of events)
    expect(await tell(event)).toEqual({ away: "the daemon hangs", refuses: event === "Before" });
  const seconds = (performance.now() - began) / 1000;
  expect(Math.floor(seconds / 60)).toBe(0);
  process.kill(pid, "SIGCONT");
  await expect.poll(async () => "exit" in (await tell("Before"))).toBe(true);
});
