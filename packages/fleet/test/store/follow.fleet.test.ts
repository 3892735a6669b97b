import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { type Bus, busOf } from "../../src/link/bus.ts";
import { sha256 } from "../../src/policy/key.ts";
import { sealManifest } from "../../src/policy/manifest.ts";
import { pinnedRoot, type Root, sealRoot, type TrustedRoot } from "../../src/policy/root.ts";
import { pinnedChain, type RootChain, readRoots } from "../../src/policy/roots.ts";
import { firstSeen, readSeen, writeSeen } from "../../src/policy/seen.ts";
import { readSource } from "../../src/policy/source.ts";
import { policyPlace } from "../../src/policy/take.ts";
import { KEYS, makeBuckets, readKey, writeKey } from "../../src/store/buckets.ts";
import { Follower } from "../../src/store/follow.ts";
import { type PublishOptions, publishRoot, publishSource, rollBack } from "../../src/store/publish.ts";
import { keyOf, manifestOf, NOW, policyKey, rootKey, rootOf, strangerKey } from "../policy/sample.ts";
import { BareServer, natsServer } from "../support/bare-server.ts";

const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });

describe.skipIf(natsServer === undefined)("policy on a server", () => {
  const server = new BareServer();
  const top = mkdtempSync(join(tmpdir(), "hookline-follow-"));
  let connection: NatsConnection;
  let bus: Bus;
  let count = 0;
  let fleet: string;
  let root: TrustedRoot;
  let roots: RootChain;
  let now: number;
  const clock = { now: () => now, wall: () => now, timer: () => ({ cancel() {}, hold() {} }) } as Clock;

  beforeAll(async () => {
    await server.start();
    connection = await server.connect();
    bus = await busOf(connection);
  });
  afterAll(async () => {
    await connection?.close();
    await server[Symbol.asyncDispose]();
    rmSync(top, { recursive: true, force: true });
  });
  // Each test has a fleet of its own.
  beforeEach(async () => {
    fleet = `acme-${++count}`;
    now = NOW;
    await makeBuckets(connection, fleet);
    await makeBuckets(connection, fleet);
    const bytes = sealRoot(rootOf({ fleet }), [rootKey]);
    roots = pinnedChain(bytes, sha256(bytes));
    root = roots.root;
    await publishRoot(bus, root, bytes);
  });

  const options = (more: Partial<PublishOptions> = {}): PublishOptions => ({
    bus,
    root,
    channel: "stable",
    key: policyKey,
    now,
    daysValid: 30,
    ...more,
  });
  const folderOf = (files: Readonly<Record<string, string>>, hooks: readonly object[] = []) => {
    const folder = mkdtempSync(join(top, "source-"));
    mkdirSync(join(folder, "hooks"));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ v: 1, hooks }));
    return folder;
  };
  const publish = (text: string, hooks: readonly object[] = []) =>
    publishSource(readSource(folderOf({ "hooks/a.ts": text }, hooks)), options());
  const REMOTE = [{ file: "hooks/a.ts", where: "worker", events: ["tool.before"] }];

  const machine = (more: object = {}) => {
    const folder = mkdtempSync(join(top, "machine-"));
    const place = policyPlace(folder);
    writeSeen(place.seen, firstSeen(root));
    const told: string[] = [];
    const start = () =>
      new Follower({
        place,
        roots,
        channel: "stable",
        bus,
        clock,
        answers: async () => true,
        load: async () => ({ use: () => {}, drop: () => {} }),
        tell: (problem) => told.push(problem),
        ...more,
      });
    return { follower: start(), start, told, folder, place };
  };

  test("removes a version once three newer ones have been there for an hour", async () => {
    const { follower, start, place } = machine();
    const digests: string[] = [];
    for (const text of ["1", "2", "3", "4"]) {
      await publish(text);
      await follower.look();
      const { digest = "" } = follower.current ?? {};
      utimesSync(join(place.bundles, digest), NOW / 1000, NOW / 1000);
      digests.push(digest);
    }
    expect(readdirSync(place.bundles)).toHaveLength(4);
    now += 2 * 3600_000;
    await publish("5");
    await follower.look();
    const left = readdirSync(place.bundles);
    expect([left.length, left.includes(digests[0] ?? "")]).toEqual([4, false]);
    expect(start().current?.manifest.version).toBe(5);
  });

  test("is numbered, uploaded once, and taken by who follows it; a rollback is a higher version", async () => {
    const { follower, start, told } = machine();
    await follower.look();
    expect(follower.current).toBeUndefined();
    expect(await publish("one")).toMatchObject({ uploaded: 1, manifest: { version: 1, fleet } });
    expect(await publish("two")).toMatchObject({ uploaded: 1, manifest: { version: 2 } });
    await follower.look();
    expect(follower.current?.manifest.version).toBe(2);
    expect(readFileSync(join(follower.current?.folder ?? "", "hooks/a.ts"), "utf8")).toBe("two");
    expect(await rollBack(options())).toMatchObject({ uploaded: 0, manifest: { version: 3 } });
    await follower.look();
    expect(readFileSync(join(follower.current?.folder ?? "", "hooks/a.ts"), "utf8")).toBe("one");
    expect(start().current?.manifest.version).toBe(3);
    expect(told).toEqual([]);
  });

  test("is refused before anything is uploaded if no agent would take it", async () => {
    const source = readSource(folderOf({ "hooks/a.ts": "one" }));
    await expect(publishSource(source, options({ key: strangerKey }))).rejects.toThrow(refusal("signature"));
    await expect(publishSource({ ...source, fleet: "emca" }, options())).rejects.toThrow(refusal("fleet"));
    await expect(publishSource({ ...source, channel: "beta" }, options())).rejects.toThrow(refusal("channel"));
    expect(await readKey(bus, fleet, { bucket: "blobs", key: sha256(Buffer.from("one")) })).toBeUndefined();
    await expect(rollBack(options())).rejects.toThrow(refusal("missing"));
    expect(() => readSource(folderOf({}, [{ ...REMOTE[0], may: ["all"] }]))).toThrow(refusal("field"));
    expect(() => readSource(mkdtempSync(join(top, "empty-")))).toThrow(refusal("missing"));
  });

  test("of two publishers at once never gets one version twice, and skips a version that was not announced", async () => {
    const abandoned = sealManifest(manifestOf({ fleet, files: [], hooks: [] }), [policyKey]);
    await writeKey(bus, fleet, { bucket: "policy", key: KEYS.version("stable", 1), data: abandoned, after: 0 });
    const done = await Promise.allSettled([publish("one"), publish("two"), publish("three")]);
    const versions = done.flatMap((one) => (one.status === "fulfilled" ? [one.value.manifest.version] : []));
    expect(versions.length).toBeGreaterThan(0);
    expect(new Set(versions).size).toBe(versions.length);
    for (const one of done) if (one.status === "rejected") expect(one.reason).toMatchObject({ refusal: "version" });
    const { follower } = machine();
    await follower.look();
    expect(versions).toContain(follower.current?.manifest.version);
  });

  test("is taken after an older one was put back, however many versions there have been since", async () => {
    const { follower, told } = machine();
    await publish("one");
    const key = { bucket: "policy", key: KEYS.channel("stable") } as const;
    const old = (await readKey(bus, fleet, key))?.data ?? Buffer.of();
    await publish("two");
    await publish("three");
    await follower.look();
    const putBack = async (): Promise<void> => {
      const { seq = 0 } = (await readKey(bus, fleet, key)) ?? {};
      expect(await writeKey(bus, fleet, { ...key, data: old, after: seq })).toBe(true);
    };
    await putBack();
    for (let i = 0; i < 2; i++) await follower.look();
    expect(told).toEqual(["the manifest of stable has the version 1, and 3 was seen before"]);
    expect(follower.current?.manifest.version).toBe(3);
    expect((await publish("four")).manifest.version).toBe(4);
    await follower.look();
    expect([follower.current?.manifest.version, follower.problem]).toEqual([4, undefined]);
    for (let version = 5; version <= 205; version++)
      await writeKey(bus, fleet, {
        bucket: "policy",
        key: KEYS.version("stable", version),
        data: sealManifest(manifestOf({ fleet, version, files: [], hooks: [] }), [policyKey]),
        after: 0,
      });
    await putBack();
    expect((await publishSource(readSource(folderOf({})), options({ isTrial: true }))).manifest.version).toBe(206);
    expect((await publish("last")).manifest.version).toBe(206);
    await follower.look();
    expect([follower.current?.manifest.version, told.length]).toEqual([206, 1]);
  });

  test("is looked for again soon while the server does not answer, and at once when it is back", async () => {
    const waits: number[] = [];
    let isAway = false;
    const { follower } = machine({
      bus: {
        ...bus,
        request: (...asked: Parameters<Bus["request"]>) =>
          isAway ? Promise.reject(new Error("no answer")) : bus.request(...asked),
      },
      clock: {
        ...clock,
        timer(ms: number) {
          waits.push(ms);
          return { cancel() {}, hold() {} };
        },
      },
    });
    await publish("one");
    // Nothing is looked for by whoever does not follow.
    follower.reconnected();
    await follower.begin();
    isAway = true;
    for (let i = 0; i < 12; i++) await follower.look();
    isAway = false;
    await publish("two");
    follower.reconnected();
    await follower.looked();
    expect(follower.current?.manifest.version).toBe(2);
    const [first = 0, ...later] = waits;
    const last = later.pop() ?? 0;
    // Each is up to 30 % sooner or later.
    expect([first >= 42_000, last >= 42_000]).toEqual([true, true]);
    for (const [n, ms] of later.entries()) {
      const usual = Math.min(60_000, 500 * 2 ** n);
      expect(ms).toBeGreaterThanOrEqual(usual * 0.7);
      expect(ms).toBeLessThanOrEqual(usual * 1.3);
    }
    follower.stop();
  });

  test("with remote hooks is taken only when a worker answers; after maxMs the machine is stale", async () => {
    let isServed = true;
    const { follower, told } = machine({ answers: async () => isServed });
    await publish("one", REMOTE);
    await follower.look();
    isServed = false;
    await publish("two", REMOTE);
    for (let i = 0; i < 2; i++) await follower.look();
    expect(follower.current?.manifest.version).toBe(1);
    expect(follower.problem).toBe("version 2 of stable is waiting for a worker that serves it");
    now += 600_000;
    await follower.look();
    expect([follower.stale, told]).toEqual([undefined, []]);
    now += 1;
    for (let i = 0; i < 2; i++) await follower.look();
    expect([follower.stale]).toEqual(told);
    expect(follower.stale).toMatch(/no worker/);
    expect(follower.refuses).toBe(false);
    isServed = true;
    await follower.look();
    expect([follower.current?.manifest.version, follower.stale]).toEqual([2, undefined]);
  });

  test("that cannot be loaded is refused, told once, and the last good one stays", async () => {
    const tried: number[] = [];
    const { follower, told } = machine({
      load: async ({ manifest }: { manifest: { version: number } }) => {
        tried.push(manifest.version);
        if (manifest.version === 2) throw new Error("it throws");
        return { use: () => {}, drop: () => {} };
      },
    });
    await publish("one");
    await follower.look();
    await publish("two");
    for (let i = 0; i < 3; i++) await follower.look();
    expect(follower.current?.manifest.version).toBe(1);
    expect(told).toEqual(["version 2 of stable cannot be loaded: it throws"]);
    await publish("three");
    await follower.look();
    expect(follower.current?.manifest.version).toBe(3);
    expect(tried).toEqual([1, 2, 3]);
  });

  test("that expires is stale, and refuses guarded calls only if it says so", async () => {
    const { follower } = machine();
    await publishSource(readSource(folderOf({})), options());
    await follower.look();
    expect([follower.stale, follower.refuses]).toEqual([undefined, false]);
    now += 31 * 24 * 3600_000;
    expect(follower.stale).toMatch(/expired/);
    expect(follower.refuses).toBe(false);
    const strict = readSource(folderOf({}));
    await publishSource({ ...strict, choices: { ...strict.choices, onStale: "refuse" } }, options());
    await follower.look();
    now += 31 * 24 * 3600_000;
    expect(follower.refuses).toBe(true);
  });

  test("of a key that a new root no longer has is not followed; roots are taken one after the other", async () => {
    const { follower, told, place } = machine();
    await publish("one");
    await follower.look();
    const [next, policy] = [keyOf(4), keyOf(5)];
    const role = (key: typeof next) => ({ keyids: [key.keyid], threshold: 1 });
    const second: Root = rootOf({ fleet, version: 2, roles: { ...root.roles, root: role(next) } });
    const third: Root = { ...second, version: 3, roles: { ...second.roles, policy: role(policy) } };
    const bytes = [sealRoot(second, [rootKey, next]), sealRoot(third, [next])] as const;
    for (const [i, file] of bytes.entries())
      await publishRoot(bus, pinnedRoot(file, sha256(file)), bytes[i] as Buffer).catch((thrown) =>
        expect.fail(String(thrown)),
      );
    await publish("two");
    await follower.look();
    expect(told).toEqual([expect.stringMatching(/signed it/)]);
    expect(readRoots(place.roots, root.sha256).files.slice(1)).toEqual(bytes);
    expect(readSeen(place.seen).root.version).toBe(3);
    expect(follower.current?.manifest.version).toBe(1);
    expect([follower.stale, follower.refuses]).toEqual([expect.stringMatching(/signed it/), true]);
    const trusted = options({ key: policy, root: pinnedRoot(bytes[1], sha256(bytes[1])) });
    expect((await publishSource(readSource(folderOf({})), trusted)).manifest.version).toBe(3);
    await follower.look();
    expect([follower.current?.manifest.version, follower.stale, follower.refuses]).toEqual([3, undefined, false]);
    const other = sealRoot({ ...third, expires: third.expires + 1 }, [next]);
    await expect(publishRoot(bus, pinnedRoot(other, sha256(other)), other)).rejects.toThrow(refusal("version"));
  });

  test("stays as it was while the server is away", async () => {
    const { follower, told } = machine({ bus: { request: async () => Promise.reject(new Error("no answer")) } });
    await follower.look();
    expect(follower.problem).toBe("no answer");
    expect(told).toEqual([]);
  });
});
