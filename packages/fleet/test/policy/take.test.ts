import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Manifest, sealManifest } from "../../src/policy/manifest.ts";
import { firstSeen, readSeen, writeSeen } from "../../src/policy/seen.ts";
import { bundleInUse, fetchBundle, policyPlace, useBundle } from "../../src/policy/take.ts";
import { blobsOf, LATER, manifestOf, NOW, policyKey, rootOf } from "./sample.ts";

const root = rootOf();
const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-take-"));
  writeSeen(policyPlace(top).seen, firstSeen({ ...root, sha256: "0".repeat(64) }));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const expected = { root, channel: "stable" };
const inUse = () => bundleInUse(policyPlace(top), expected)?.manifest.version;
const seen = () => readSeen(policyPlace(top).seen).channels["stable"];
const offer = (change: Partial<Manifest>, more: object = {}) =>
  fetchBundle(policyPlace(top), {
    ...expected,
    envelope: sealManifest(manifestOf(change), [policyKey]),
    blobs: blobsOf(),
    now: NOW,
    ...more,
  });

test("a bundle is fetched, then used, and is there again at the next start", async () => {
  expect(inUse()).toBeUndefined();
  const second = await offer({ version: 2 });
  expect(inUse()).toBeUndefined();
  useBundle(policyPlace(top), second);
  expect(inUse()).toBe(2);
  const third = await offer({ version: 3 });
  expect(inUse()).toBe(2);
  expect(() => useBundle(policyPlace(top), second)).toThrow(refusal("version"));
  useBundle(policyPlace(top), third);
  expect(inUse()).toBe(3);
});

test("what is newer is seen even if its files cannot be had, and nothing older is taken from then on", async () => {
  useBundle(policyPlace(top), await offer({ version: 1 }));
  await expect(offer({ version: 5 }, { blobs: async () => undefined })).rejects.toThrow(refusal("missing"));
  expect(seen()).toMatchObject({ version: 5 });
  await expect(offer({ version: 4 })).rejects.toThrow(refusal("version"));
  await expect(offer({ version: 5, onStale: "refuse" })).rejects.toThrow(refusal("version"));
  expect(inUse()).toBe(1);
  useBundle(policyPlace(top), await offer({ version: 5 }));
  expect(inUse()).toBe(5);
});

test("what does not count now is neither seen nor taken", async () => {
  await expect(offer({ version: 9 }, { now: LATER })).rejects.toThrow(refusal("expired"));
  await expect(offer({ version: 9 }, { now: NOW - 1 })).rejects.toThrow(refusal("early"));
  expect(seen()).toBeUndefined();
});

test("the bundle in use is refused when it was changed, and when the root no longer trusts its key", async () => {
  const bundle = await offer({});
  useBundle(policyPlace(top), bundle);
  const other = rootOf({ roles: { ...root.roles, policy: root.roles.approvals } });
  expect(() => bundleInUse(policyPlace(top), { ...expected, root: other })).toThrow(refusal("signature"));
  writeFileSync(join(bundle.folder, "hooks/style.ts"), "");
  expect(() => inUse()).toThrow(refusal("hash"));
  useBundle(policyPlace(top), await offer({}));
  expect(inUse()).toBe(1);
  expect(readdirSync(policyPlace(top).bundles)).toEqual([bundle.digest]);
});
