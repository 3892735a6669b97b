import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bundle, checkedBundle, installBundle } from "../../src/policy/bundle.ts";
import { filesBelow } from "../../src/policy/folder.ts";
import { sealManifest } from "../../src/policy/manifest.ts";
import { blobsOf, FILES, manifestOf, policyKey, rootOf, strangerKey } from "./sample.ts";

const root = rootOf();
const expected = { root, channel: "stable" };
const envelope = sealManifest(manifestOf(), [policyKey]);
const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-bundle-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const install = (change: object = {}, bytes = envelope): Promise<Bundle> =>
  installBundle(join(top, "bundles"), bytes, { ...expected, blobs: blobsOf(), ...change });

test("a bundle is put under its digest, each file as it was signed", async () => {
  const { folder, digest, manifest } = await install();
  expect(folder).toBe(join(top, "bundles", digest, "files"));
  for (const [path, content] of Object.entries(FILES)) expect(readFileSync(join(folder, path), "utf8")).toBe(content);
  expect(checkedBundle(join(top, "bundles", digest), expected)).toEqual({ folder, digest, manifest });
  expect((await install()).folder).toBe(folder);
  expect(readdirSync(join(top, "bundles"))).toEqual([digest]);
});

test("a bundle that another process puts there meanwhile stays where it is, for it may be loading it", async () => {
  let there: number | undefined;
  const blobs = async (hash: string) => {
    if (there === undefined) {
      there = 0;
      there = statSync((await install()).folder).ino;
    }
    return await blobsOf()(hash);
  };
  const { folder, digest } = await install({ blobs });
  expect(statSync(folder).ino).toBe(there);
  expect(readdirSync(join(top, "bundles"))).toEqual([digest]);
});

test.each<[string, object, string]>([
  ["a blob that is not there", { blobs: async () => undefined }, "missing"],
  ["a blob that is cut", { blobs: async (hash: string) => (await blobsOf()(hash))?.subarray(1) }, "hash"],
  ["another blob", { blobs: async () => Buffer.from("export const guard = 2;\n") }, "hash"],
  [
    "a root that does not trust it",
    { root: rootOf({ roles: { ...root.roles, policy: root.roles.approvals } }) },
    "signature",
  ],
])("nothing is left behind for %s", async (_, change, why) => {
  await expect(install(change)).rejects.toThrow(refusal(why));
  expect(existsSync(join(top, "bundles")) ? readdirSync(join(top, "bundles")) : []).toEqual([]);
});

test.each<[string, (place: string) => void, string]>([
  [
    "a changed file",
    (place) => writeFileSync(join(place, "files/hooks/style.ts"), "export const style = 3;\n"),
    "hash",
  ],
  ["a cut file", (place) => writeFileSync(join(place, "files/hooks/style.ts"), ""), "hash"],
  ["a missing file", (place) => rmSync(join(place, "files/hooks/style.ts")), "missing"],
  ["a file more", (place) => writeFileSync(join(place, "files/hooks/more.ts"), ""), "extra"],
  ["a hidden file more", (place) => writeFileSync(join(place, "files/.DS_Store"), ""), "extra"],
  ["a file that became a program", (place) => chmodSync(join(place, "files/hooks/style.ts"), 0o700), "hash"],
  [
    "a link to the same bytes",
    (place) => {
      renameSync(join(place, "files/hooks/style.ts"), join(top, "style.ts"));
      symlinkSync(join(top, "style.ts"), join(place, "files/hooks/style.ts"));
    },
    "path",
  ],
  [
    "a folder that became a link",
    (place) => {
      renameSync(join(place, "files"), join(top, "files"));
      symlinkSync(join(top, "files"), join(place, "files"));
    },
    "path",
  ],
  [
    "a stranger's manifest",
    (place) => writeFileSync(join(place, "manifest.json"), sealManifest(manifestOf(), [strangerKey])),
    "signature",
  ],
  [
    "a manifest of other files",
    (place) => writeFileSync(join(place, "manifest.json"), sealManifest(manifestOf({}, { "a.ts": "" }), [policyKey])),
    "extra",
  ],
])("%s is noticed, and the bundle is written again", async (_, change, why) => {
  const { digest } = await install();
  const place = join(top, "bundles", digest);
  change(place);
  expect(() => checkedBundle(place, expected)).toThrow(refusal(why));
  await install();
  expect(checkedBundle(place, expected).digest).toBe(digest);
});

test("a folder to publish has plain files alone, without what version control keeps there", () => {
  const folder = join(top, "policy");
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "");
  writeFileSync(join(folder, "b.ts"), "12");
  writeFileSync(join(folder, "a.sh"), "1", { mode: 0o755 });
  const about = { what: "the folder", leaves: true };
  expect(filesBelow(folder, about)).toEqual([
    { path: "a.sh", bytes: 1, executable: true },
    { path: "b.ts", bytes: 2, executable: false },
  ]);
  symlinkSync("b.ts", join(folder, "c.ts"));
  expect(() => filesBelow(folder, about)).toThrow(refusal("path"));
});
