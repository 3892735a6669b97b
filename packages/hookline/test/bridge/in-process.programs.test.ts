import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { connects } from "../../../bridge/src/client/client.ts";
import type { InProcessAnswer } from "../../../bridge/src/client/native-answer.ts";
import { inProcessClient } from "../../../bridge/src/extension/text.ts";
import { occupied } from "../../../bridge/test/support/occupied.ts";
import { hooklineAbove } from "../../src/consent/started-by.ts";
import { ABSENT, Rigged } from "./support/rigged.ts";

type Client = (
  event: string,
  payload: unknown,
  options?: { cwd?: string; timeoutMs?: number; signal?: AbortSignal; detach?: boolean },
) => Promise<InProcessAnswer>;

const GUARD = `import { appendFileSync } from "node:fs";
export default (pi) => pi.on("tool_call", async ({ input }, ctx) => {
  if (input.command === "slow") {
    appendFileSync(process.env.HOME + "/slow.txt", "asked");
    await new Promise((end) => setTimeout(end, 60000));
  }
  return input.command === "rm" ? { block: true, reason: "no rm" } : undefined;
});
`;

let at: Rigged;
let hookline: Client;
const before = new Map(Object.entries(process.env));

/** The client as a host would load it: the text, behind which an adapter stands. */
async function loaded(of: Rigged): Promise<Client> {
  const file = join(of.top, "adapter.mjs");
  const text = inProcessClient({ host: "rig", origin: "user", hooklineHome: of.hooklineHome });
  writeFileSync(file, `${text}\nexport { hookline };\n`);
  return ((await import(pathToFileURL(file).href)) as { hookline: Client }).hookline;
}

beforeAll(async () => {
  // No native client is needed here.
  at = new Rigged("");
  at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  process.env["HOME"] = at.home;
  delete process.env["XDG_RUNTIME_DIR"];
  hookline = await loaded(at);
});
afterAll(async () => {
  for (const name of ["HOME", "XDG_RUNTIME_DIR"]) {
    const value = before.get(name);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await at.close();
});

const call = (command: string): object => ({ session: "s", args: { command } });
const said = (value: object): InProcessAnswer => ({ exit: 0, stdout: JSON.stringify(value), stderr: "" });

test("a host's own process asks the daemon, which its first calls start", async () => {
  const answers = await Promise.all(
    ["rm", "ls", "rm"].map((command) => hookline("Before", call(command), { cwd: at.project })),
  );
  expect(answers).toEqual([said({ deny: "no rm" }), said({}), said({ deny: "no rm" })]);
  expect(at.log().match(/ serves /g)).toHaveLength(1);
  // Below an agent nobody approves anything.
  expect(hooklineAbove(at.hooklineHome, {})).toBe(`an agent whose hooks hookline runs (process ${process.pid})`);
});

test("a call that its host gives up ends the hooks, and says whether a guard hangs there", async () => {
  const given = new AbortController();
  const slow = hookline("Before", call("slow"), { cwd: at.project, signal: given.signal });
  await expect.poll(() => existsSync(join(at.home, "slow.txt"))).toBe(true);
  given.abort();
  expect(await slow).toEqual({ away: "the agent gave up the call", refuses: true });
  await expect.poll(() => at.log()).toContain("the host has exited");
  // The daemon's time passes, and not that of the client, which would give up soon after.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const late = await hookline("Before", call("slow"), { cwd: at.project, timeoutMs: 600 });
  expect(late).toEqual(said({ deny: "hookline: no answer within 100 ms" }));
});

test("without a daemon it says which events must be refused, and believes no socket of others", async () => {
  const other = new Rigged("", [ABSENT]);
  try {
    const client = await loaded(other);
    const options = { cwd: other.project, timeoutMs: 100 };
    expect(await client("Before", call("ls"), options)).toEqual({
      away: "no daemon could be reached in time",
      refuses: true,
    });
    expect(await client("After", call("ls"), options)).toMatchObject({ refuses: false });
    expect(await client("Unknown", call("ls"), options)).toMatchObject({ refuses: true });
    const yes = createServer((connection) => connection.end("\0\0\0\x010\0\0\0\x02{}\0\0\0\0"));
    await once(yes.listen(other.place.socket), "listening");
    expect(await client("Before", call("ls"), { cwd: other.project })).toEqual(said({}));
    chmodSync(other.place.folder, 0o755);
    expect(await client("Before", call("ls"), options)).toEqual({
      away: "other users can use the socket's folder",
      refuses: true,
    });
    yes.close();
  } finally {
    await other.close();
  }
});

test("a daemon that went away before it had read the request is asked once more", async () => {
  const other = new Rigged("", [ABSENT]);
  onTestFinished(() => other.close());
  const client = await loaded(other);
  mkdirSync(other.place.folder, { recursive: true, mode: 0o700 });
  const answers = [undefined, "\0\0\0\x010\0\0\0\x02{}\0\0\0\0", undefined, undefined];
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connection.on("error", () => {});
    const answer = answers.shift();
    if (answer === undefined) connection.destroy();
    else connection.resume().end(answer);
  });
  await once(server.listen(other.place.socket), "listening");
  onTestFinished(() => void server.close());
  expect(await client("Before", call("ls"), { cwd: other.project })).toEqual(said({}));
  expect(await client("Before", call("ls"), { cwd: other.project })).toEqual({
    away: "the connection ended before the request was read",
    refuses: true,
  });
  expect(answers).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a daemon for which too many wait is asked again, and no other is started",
  async () => {
    const other = new Rigged("", [ABSENT]);
    onTestFinished(() => other.close());
    const client = await loaded(other);
    mkdirSync(other.place.folder, { recursive: true, mode: 0o700 });
    const release = await occupied(other.place.socket, Buffer.from("\0\0\0\x010\0\0\0\x02{}\0\0\0\0"));
    const asked = client("Before", call("ls"), { cwd: other.project });
    for (let i = 0; i < 10; i++) expect(await connects(other.place.socket)).toBe(true);
    expect(existsSync(other.place.starting)).toBe(false);
    release();
    expect(await asked).toEqual(said({}));
  },
);
