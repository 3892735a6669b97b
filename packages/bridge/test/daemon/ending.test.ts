import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect, Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { askDaemon, CONTROL, encodeRequest } from "../../src/client/client.ts";
import { FrameReader } from "../../src/client/frame.ts";
import { type DaemonPlace, daemonPlace } from "../../src/client/place.ts";
import { Caller } from "../../src/daemon/caller.ts";
import { serveBridge } from "../../src/daemon/serve.ts";
import { rig } from "../fixtures/rig.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A daemon in this process; `end` has it end, and gives when it has. */
async function served(): Promise<{
  readonly place: DaemonPlace;
  readonly cwd: string;
  end(): Promise<boolean>;
}> {
  const folder = temporaryFolder();
  const cwd = realpathSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const hooklineHome = join(folder, "home");
  mkdirSync(hooklineHome);
  const place = daemonPlace(hooklineHome, folder, {});
  const ended = new AbortController();
  const hosts = { rig: async () => rig };
  const open = () => Promise.reject(new Error("no session is opened here"));
  const serving = serveBridge({ place, cwd, hooklineHome, hosts, open, signal: ended.signal });
  const end = (): Promise<boolean> => {
    ended.abort();
    return serving;
  };
  onTestFinished(async () => void (await end()));
  await expect.poll(() => existsSync(place.socket)).toBe(true);
  return { place, cwd, end };
}

async function connected({ socket }: DaemonPlace): Promise<Socket> {
  const connection = connect({ path: socket, allowHalfOpen: true });
  onTestFinished(() => void connection.destroy());
  await once(connection, "connect");
  return connection;
}

test("a daemon that ends answers a request of which it has read a part, and leaves unread ones to the next", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { place, end } = await served();
  const request = { host: CONTROL, event: "status", origin: "", cwd: "/", deadlineMs: 1000, detach: false, env: {} };
  const bytes = encodeRequest({ ...request, input: new Uint8Array(1000) });
  const [partly, silent] = [await connected(place), await connected(place)];
  const pushed = vi.spyOn(FrameReader.prototype, "push");
  onTestFinished(() => pushed.mockRestore());
  partly.write(bytes.subarray(0, 500));
  await expect.poll(() => pushed.mock.calls.length).toBe(1);
  let hasEnded = false;
  const ending = end().then(() => (hasEnded = true));
  await once(silent.resume(), "end");
  const refused = once(silent, "error");
  silent.write(bytes);
  expect((await refused)[0].code).toBe("EPIPE");
  await wait(50);
  expect(hasEnded).toBe(false);
  partly.write(bytes.subarray(500));
  expect(String((await once(partly, "data"))[0])).toContain(`"pid":${process.pid}`);
  partly.end();
  await ending;
});

test("a daemon that ends waits for a client that takes its answer, and not for ever", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { place, cwd, end } = await served();
  // The answer quotes it, and is more than a socket holds.
  const event = "x".repeat(250_000);
  const request = { host: "rig", event, origin: "", cwd, deadlineMs: 1000, detach: false, env: {} };
  const bytes = encodeRequest({ ...request, input: new Uint8Array() });
  const [slow, stuck] = [await connected(place), await connected(place)];
  const written = vi.spyOn(Socket.prototype, "end");
  onTestFinished(() => written.mockRestore());
  for (const connection of [slow, stuck]) connection.pause().write(bytes);
  await expect.poll(() => written.mock.calls.length).toBe(2);
  let hasEnded = false;
  const ending = end().then(() => (hasEnded = true));
  let got = 0;
  slow.on("data", (piece: Buffer) => (got += piece.length));
  await once(slow.resume(), "end");
  expect(got).toBeGreaterThan(250_000);
  await wait(50);
  expect(hasEnded).toBe(false);
  vi.setSystemTime(Date.now() + 11_000);
  await ending;
});

test("a daemon that ends leaves the number of one that has taken its place", async () => {
  const { place, end } = await served();
  writeFileSync(place.pid, "999999999\n");
  await end();
  expect([existsSync(place.socket), readFileSync(place.pid, "utf8")]).toEqual([false, "999999999\n"]);
});

test("whoever asks about a client that has left hears of it at once", () => {
  const caller = new Caller();
  caller.leave();
  const told = vi.fn();
  caller.onLeave(told);
  expect(told).toHaveBeenCalledOnce();
});

test("a daemon ends when its home joins or leaves a fleet, and leaves the call to the next one", async () => {
  const { place, cwd } = await served();
  const asked = (): Promise<unknown> =>
    askDaemon({
      place,
      request: {
        host: CONTROL,
        event: "status",
        origin: "",
        cwd,
        deadlineMs: 1000,
        detach: false,
        env: {},
        input: new Uint8Array(),
      },
      timeoutMs: 60_000,
    });
  expect(await asked()).toMatchObject({ exit: 0 });
  mkdirSync(join(cwd, "home/fleet"));
  writeFileSync(join(cwd, "home/fleet/fleet.json"), "{}");
  await expect(asked()).rejects.toThrow("no daemon runs");
  await expect.poll(() => readFileSync(place.log, "utf8")).toContain("ended: this machine has joined or left a fleet");
});
