import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeOldBundles } from "../../src/policy/clean.ts";
import { type Manifest, sealManifest } from "../../src/policy/manifest.ts";
import { firstSeen, writeSeen } from "../../src/policy/seen.ts";
import { fetchBundle, policyPlace, useBundle } from "../../src/policy/take.ts";
import { blobsOf, manifestOf, NOW, policyKey, rootOf } from "./sample.ts";

const root = rootOf();
const HOUR_MS = 3600_000;
/** Long after everything was put there. */
const later = (): number => Date.now() + 2 * HOUR_MS;

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-clean-"));
  writeSeen(policyPlace(top).seen, firstSeen({ ...root, sha256: "0".repeat(64) }));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Takes a version, and has it in force. */
const take = async (version: number, change: Partial<Manifest> = {}): Promise<string> => {
  const manifest = manifestOf({ ...change, version });
  const envelope = sealManifest(manifest, [policyKey]);
  const place = policyPlace(top);
  const bundle = await fetchBundle(place, { root, channel: manifest.channel, envelope, blobs: blobsOf(), now: NOW });
  useBundle(place, bundle);
  return bundle.digest;
};
const left = (): string[] => readdirSync(policyPlace(top).bundles).sort();

test("the newest three versions of each channel stay, and older ones go", async () => {
  const stable: string[] = [];
  for (let version = 1; version <= 6; version++) stable.push(await take(version));
  const beta = [await take(1, { channel: "beta" }), await take(9, { channel: "beta" })];
  const removed = removeOldBundles(policyPlace(top), { now: later() });
  expect(removed.sort()).toEqual(stable.slice(0, 3).sort());
  expect(left()).toEqual([...stable.slice(3), ...beta].sort());
  expect(removeOldBundles(policyPlace(top), { now: later() })).toEqual([]);
});

test("one in force stays however old it is, and so does one that a worker serves", async () => {
  const [first, second] = [await take(1), await take(2)];
  // Newer ones are there that no worker has answered for yet.
  const place = policyPlace(top);
  let third = "";
  for (let version = 3; version <= 6; version++) {
    const envelope = sealManifest(manifestOf({ version }), [policyKey]);
    const { digest } = await fetchBundle(place, { root, channel: "stable", envelope, blobs: blobsOf(), now: NOW });
    if (version === 3) third = digest;
  }
  expect(removeOldBundles(place, { now: later(), keep: [first] })).toEqual([third]);
  expect(removeOldBundles(place, { now: later() })).toEqual([first]);
  expect(left()).toContain(second);
});

test("nothing goes before three newer ones have been there for an hour", async () => {
  const all: string[] = [];
  for (let version = 1; version <= 4; version++) all.push(await take(version));
  expect(removeOldBundles(policyPlace(top), { now: Date.now() })).toEqual([]);
  const before = new Date(Date.now() - 2 * HOUR_MS);
  for (const digest of all.slice(0, 3)) utimesSync(join(policyPlace(top).bundles, digest), before, before);
  // Only two that are newer than the first are so old.
  expect(removeOldBundles(policyPlace(top), { now: Date.now() })).toEqual([]);
  expect(removeOldBundles(policyPlace(top), { now: later() })).toEqual([all[0]]);
});

test("drafts of killed processes go after a while, and what is no bundle stays", async () => {
  await take(1);
  const { bundles } = policyPlace(top);
  for (const name of [".0123456789abcdef-0123456789ab.tmp", "notes", "f".repeat(64)]) mkdirSync(join(bundles, name));
  writeFileSync(join(bundles, "f".repeat(64), "manifest.json"), "{}");
  removeOldBundles(policyPlace(top), { now: Date.now() });
  expect(left()).toHaveLength(4);
  removeOldBundles(policyPlace(top), { now: later() });
  expect(left()).toHaveLength(3);
  expect(existsSync(join(bundles, "notes"))).toBe(true);
});
