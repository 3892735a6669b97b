import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { coverageOf } from "../../src/bundle/bundle.ts";
import { folderBundle } from "../../src/bundle/folder.ts";

const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
afterAll(() => rmSync(place, { recursive: true }));

const hook = { file: "hooks.yaml", where: "worker", events: ["tool.before"] };
const manifest = { v: 1, fleet: "acme", channel: "stable", version: 1, hooks: [hook] };

function folder(files: Readonly<Record<string, string>>): string {
  const made = mkdtempSync(join(place, "bundle-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), text);
  }
  return made;
}

const good = { "manifest.json": JSON.stringify(manifest), "hooks.yaml": "a", "scripts/x.sh": "b" };

describe("a bundle in a folder", () => {
  test("has what is usual where its manifest says nothing", () => {
    const { manifest: read } = folderBundle(folder(good));
    expect(read.hooks).toEqual([
      { ...hook, may: ["deny", "ask"], needs: ["tool", "args"], onFailure: "closed", idempotent: false },
    ]);
  });

  test("has the same digest wherever it lies, and another one after any change", () => {
    const digest = (files: Readonly<Record<string, string>>): string => folderBundle(folder(files)).digest;
    const same = digest(good);
    expect(digest(good)).toBe(same);
    const others = [
      { ...good, "scripts/x.sh": "c" },
      { ...good, "scripts/y.sh": "b" },
      { "manifest.json": good["manifest.json"], "hooks.yaml": "a", "scripts/y.sh": "b" },
      { ...good, "hooks.yaml": "", "scripts/x.sh": "ab" },
      { ...good, "manifest.json": `${good["manifest.json"]}\n` },
    ].map(digest);
    expect(new Set([same, ...others]).size).toBe(6);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["has no manifest", { "hooks.yaml": "a" }, /manifest\.json/],
    ["has a manifest that is no JSON", { ...good, "manifest.json": "{" }, /cannot be read/],
    ["has a field twice", { ...good, "manifest.json": good["manifest.json"].replace('"v":1', '"v":1,"v":1') }, /twice/],
    ["has an unknown field", { ...good, "manifest.json": JSON.stringify({ ...manifest, also: 1 }) }, /also/],
    [
      "names a file that is not there",
      { "manifest.json": good["manifest.json"] },
      /hooks\.yaml, which is not in the folder/,
    ],
    [
      "lets an answer do what there is not",
      { ...good, "manifest.json": JSON.stringify({ ...manifest, hooks: [{ ...hook, may: ["allow"] }] }) },
      /may/,
    ],
    [
      "is of a fleet with another name",
      { ...good, "manifest.json": JSON.stringify({ ...manifest, fleet: "../x" }) },
      /fleet/,
    ],
    ["has a file that is too large", { ...good, "hooks.yaml": "x".repeat(600_000) }, /512 KiB/],
  ])("is refused that %s", (_, files, says) => expect(() => folderBundle(folder(files))).toThrow(says));

  test("is refused with a link in it", () => {
    const made = folder(good);
    symlinkSync("/etc/hostname", join(made, "scripts/link"));
    expect(() => folderBundle(made)).toThrow("neither a file nor a folder");
  });
});

test("one closed hook closes an event, and all must be idempotent for it to be repeated", () => {
  const rule = {
    file: "a",
    where: "worker",
    events: ["tool.before"],
    may: ["deny"],
    needs: ["tool"],
    onFailure: "open",
    idempotent: true,
  } as const;
  const of = (...hooks: object[]) => coverageOf({ manifest: { ...manifest, hooks: hooks as never } });
  expect(of(rule)).toMatchObject([{ event: "tool.before", isClosed: false, isIdempotent: true }]);
  const both = of(rule, { ...rule, file: "b", onFailure: "closed", idempotent: false, may: ["edit"], needs: ["args"] });
  expect(both).toMatchObject([
    { isClosed: true, isIdempotent: false, may: new Set(["deny", "edit"]), needs: new Set(["tool", "args"]) },
  ]);
  expect(of({ ...rule, where: "agent" })).toEqual([]);
});
