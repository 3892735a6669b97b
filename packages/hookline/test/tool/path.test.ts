import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expandPath, resolveReadPath, resolveToCwd } from "../../src/tool/path.ts";
import { makeFolder } from "./folder.ts";

test.each([
  ["src/a.ts", "src/a.ts"],
  ["~", "/home/me"],
  ["~/a", "/home/me/a"],
  ["~other/a", "~other/a"],
  ["@src/a.ts", "src/a.ts"],
  ["@~/a", "/home/me/a"],
  ["@@a", "@a"],
  ["a\u00a0b\u202fc\u3000d", "a b c d"],
  ["file:///tmp/a%20b", "/tmp/a b"],
])("%j is read as %j", (given, expected) => {
  expect(expandPath(given, "/home/me")).toBe(expected);
});

test.each([
  ["a/../b", "/work/b"],
  ["/x//y/", "/x/y"],
  ["@a", "/work/a"],
  [".", "/work"],
])("%j in /work is %j", (given, expected) => {
  expect(resolveToCwd(given, "/work")).toBe(expected);
});

describe("a file to read", () => {
  test.each([
    ["a name with an unusual space before PM", "Shot 1.00\u202fPM.png", "Shot 1.00 PM.png"],
    ["a decomposed name", "caf\u0065\u0301.txt", "caf\u00e9.txt"],
    ["a curly apostrophe", "d\u2019or.txt", "d'or.txt"],
    ["both", "l\u2019e\u0301te\u0301.txt", "l'\u00e9t\u00e9.txt"],
  ])("is found under %s", async (_name, stored, asked) => {
    const root = makeFolder({ [stored]: "x" });
    expect(await resolveReadPath(asked, root)).toBe(join(root, stored));
  });

  test("is the plain path when nothing is there", async () => {
    const root = makeFolder();
    expect(await resolveReadPath("a'b.txt", root)).toBe(join(root, "a'b.txt"));
  });

  test("keeps the name of a link", async () => {
    const root = makeFolder({ "real.txt": "x" });
    symlinkSync(join(root, "real.txt"), join(root, "link.txt"));
    expect(await resolveReadPath("link.txt", root)).toBe(join(root, "link.txt"));
  });
});
