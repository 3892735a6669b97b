import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { FLEET_COMMANDS } from "../../src/command/all.ts";
import { PING } from "../../src/name/subjects.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

/** Longer than any test waits. */
const LONG_MS = 600_000;

describe.skipIf(!hasNats)("publishing policy by command", () => {
  let fleet: TestFleet;
  let env: Record<string, string>;
  beforeAll(async () => {
    fleet = await TestFleet.start();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => fleet.stop());

  /** Runs a command and returns its JSON output. */
  const run = async (
    name: string,
    words: readonly string[],
    flags: Record<string, string | boolean> = {},
    code = 0,
  ) => {
    let out = "";
    const io = {
      env,
      cwd: fleet.place,
      hooklineHome: join(fleet.place, "nowhere"),
      version: "0.0.0-test",
      out: (text: string) => {
        out += text;
      },
      err: () => {},
      ended: () => Promise.resolve(),
    };
    const command = await FLEET_COMMANDS[name]?.();
    expect(await command?.({ words, flags: { ...flags, json: true } }, io)).toBe(code);
    return JSON.parse(out);
  };
  const folderOf = (text: string) => {
    const folder = mkdtempSync(join(fleet.place, "policy-"));
    mkdirSync(join(folder, "extensions"));
    writeFileSync(join(folder, "extensions/guard.ts"), text);
    const hooks = [{ file: "extensions/guard.ts", where: "worker", events: ["tool.before"] }];
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ v: 1, fleet: "acme", hooks }));
    return folder;
  };

  test("--wait ends when so many workers serve the version, else it says who does not", async () => {
    const channel = "waited";
    const publisher = await fleet.creds("waiter", "publisher");
    env = {
      HOOKLINE_FLEET_URL: fleet.url,
      HOOKLINE_FLEET_CREDS: fleet.text(publisher.machine),
      HOOKLINE_FLEET_ROOT: fleet.pin,
    };
    const key = join(fleet.authority.folder, "policy/1/policy.pem");
    const folder = (maxMs: number) => fleet.source(undefined, undefined, { rollout: { maxMs } });
    await run("publish", [folder(0)], { key, channel });
    const workers = [await fleet.channelWorker("worker-1", channel), await fleet.channelWorker("worker-2", channel)];
    expect(await run("publish", [folder(60_000)], { key, channel, wait: "2" })).toMatchObject({
      version: 2,
      serving: ["worker-1", "worker-2"],
      missing: [],
    });
    // A worker that is stuck at what it has.
    await fleet.worker("stuck", fleet.bundle(undefined, undefined, {}, channel));
    const stuck = await fleet.connect(await fleet.creds("stuck", "worker"));
    let rounds = 0;
    stuck.subscribe(fleet.names.ask("*", PING), { callback: () => void (rounds += 1) });
    await stuck.flush();
    const late = run("publish", [folder(LONG_MS)], { key, channel, wait: "3" }, 1);
    await expect.poll(() => workers.map((one) => one.versions()[0]?.version)).toEqual([3, 3]);
    // Its time is over once the two have been asked more than once, however slow this machine is.
    const before = rounds;
    await expect.poll(() => rounds).toBeGreaterThan(before + 3);
    const now = systemClock.now.bind(systemClock);
    vi.spyOn(systemClock, "now").mockImplementation(() => now() + LONG_MS);
    expect(await late).toMatchObject({
      version: 3,
      serving: ["worker-1", "worker-2"],
      missing: [{ worker: "stuck", version: 1 }],
    });
    await expect(run("publish", [folder(0)], { key, channel, wait: "0" })).rejects.toThrow(/--wait is not a number/);
  });

  test("roots are made and put on the server, versions are published, verified and rolled back", async () => {
    env = {};
    const dir = fleet.authority.folder;
    const first = await run("root", ["rotate", dir]);
    expect(first).toMatchObject({ v: 1, fleet: "acme", version: 2 });
    const key = join(first.folder, "policy.pem");
    expect(statSync(key).mode & 0o777).toBe(0o600);
    await expect(run("publish", [folderOf("one")], { key })).rejects.toThrow(/belongs to no fleet/);
    // A publisher's text of creds, as CI has it.
    const creds = await fleet.authority.enroll("ci", "publisher");
    env = { HOOKLINE_FLEET_URL: fleet.url, HOOKLINE_FLEET_CREDS: creds, HOOKLINE_FLEET_ROOT: first.pin };
    await run("root", ["publish", dir, fleet.url]);
    expect(await run("publish", [folderOf("one")], { key, "dry-run": true })).toMatchObject({
      version: 1,
      dryRun: true,
    });
    await expect(run("verify", [])).rejects.toThrow(/nothing has been published/);
    expect(await run("verify", [folderOf("one")])).toMatchObject({ files: 1 });
    expect(await run("publish", [folderOf("one")], { key })).toMatchObject({ version: 1, uploaded: 1, dryRun: false });
    const second = await run("publish", [folderOf("two")], { key });
    expect(await run("verify", [])).toMatchObject({
      fleet: "acme",
      channel: "stable",
      version: 2,
      digest: second.digest,
    });
    expect(await run("publish", [], { key, rollback: true })).toMatchObject({ version: 3, uploaded: 0 });

    const rotated = await run("root", ["rotate", dir]);
    expect(rotated).toMatchObject({ version: 3 });
    await run("root", ["publish", dir, fleet.url]);
    await expect(run("publish", [folderOf("three")], { key })).rejects.toThrow(/signed it/);
    await expect(run("verify", [])).rejects.toThrow(/signed it/);
    const next = join(rotated.folder, "policy.pem");
    expect(await run("publish", [folderOf("three")], { key: next })).toMatchObject({ version: 4 });
    expect(await run("verify", [])).toMatchObject({ version: 4 });
    expect(readFileSync(key, "utf8")).not.toBe(readFileSync(next, "utf8"));
  });

  test("what cannot be published says why, and quotes no key", async () => {
    const path = join(fleet.place, "no.pem");
    writeFileSync(path, "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n", { mode: 0o600 });
    await expect(run("publish", [folderOf("x")], { key: path })).rejects.toThrow(/^\S+no\.pem: it is not an Ed25519/);
    writeFileSync(path, "", { mode: 0o600 });
    await expect(run("publish", [fleet.place], { key: path })).rejects.toThrow(/manifest\.json is missing/);
    await expect(run("publish", [folderOf("x")], { key: path, rollback: true })).rejects.toThrow(/takes no folder/);
    await expect(run("verify", [], { channel: "A" })).rejects.toThrow(/--channel/);
    await expect(run("root", ["turn", fleet.authority.folder])).rejects.toThrow(/rotate, approvers or publish/);
  });
});
