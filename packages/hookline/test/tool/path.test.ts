import { linkSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEditTool } from "../../src/tool/edit.ts";
import { createGrepTool } from "../../src/tool/grep.ts";
import { expandPath, resolveToCwd } from "../../src/tool/path.ts";
import { createReadTool } from "../../src/tool/read.ts";
import { validateArguments } from "../../src/tool/schema.ts";
import { type Disk, SettledPaths } from "../../src/tool/settled.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { createWriteTool } from "../../src/tool/write.ts";
import { makeFolder } from "./folder.ts";

test.each([
  ["src/a.ts", "src/a.ts"],
  ["~", "/home/me"],
  ["~/a", "/home/me/a"],
  ["~other/a", "~other/a"],
  ["@src/a.ts", "src/a.ts"],
  ["@~/a", "/home/me/a"],
  ["@@a", "@a"],
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

describe("a settled path", () => {
  test.each([
    ["a name with an unusual space before PM", "Shot 1.00\u202fPM.png", "Shot 1.00 PM.png"],
    ["a decomposed name", "caf\u0065\u0301.txt", "caf\u00e9.txt"],
    ["a composed name", "caf\u00e9.txt", "caf\u0065\u0301.txt"],
    ["a curly apostrophe", "d\u2019or.txt", "d'or.txt"],
    ["both", "l\u2019e\u0301te\u0301.txt", "l'\u00e9t\u00e9.txt"],
    ["plain spaces", "a b c d.txt", "a\u00a0b\u202fc\u3000d.txt"],
    ["the unusual space that is asked for", "a\u00a0b.txt", "a\u00a0b.txt"],
  ])("names a file to read by %s", (_name, stored, asked) => {
    const root = makeFolder({ [stored]: "x" });
    expect(new SettledPaths(root).settle(asked, { tries: true })).toBe(stored);
  });

  test("stays what was written when nothing is there, and for a file to write", () => {
    const root = makeFolder({ "d\u2019or.txt": "x" });
    expect(new SettledPaths(root).settle("a'b.txt", { tries: true })).toBe("a'b.txt");
    expect(new SettledPaths(root).settle("d'or.txt")).toBe("d'or.txt");
  });

  test("keeps the name of a link", () => {
    const root = makeFolder({ "real.txt": "x" });
    symlinkSync(join(root, "real.txt"), join(root, "link.txt"));
    expect(new SettledPaths(root).settle("link.txt", { tries: true })).toBe("link.txt");
  });

  test("has the letter case of the disk where the file system ignores it", () => {
    const names = ["/Work", "/Work/Secrets", "/Work/Secrets/Key.txt"];
    const found = (path: string): string | undefined =>
      names.find((one) => one.toLowerCase() === path.toLowerCase().normalize("NFC"));
    const folding: Disk = {
      stat: (path) =>
        found(path) === undefined ? undefined : { dev: 1, ino: names.indexOf(found(path) as string) + 1 },
      list: (path) =>
        [...names, "/Work"].flatMap((one) =>
          one.startsWith(`${path.replace(/\/$/, "")}/`) ? [one.split("/").at(path === "/" ? 1 : -1) as string] : [],
        ),
      real: found,
    };
    expect(new SettledPaths("/Work", folding).settle("secrets/KEY.TXT")).toBe("/Work/Secrets/Key.txt");
    expect(new SettledPaths("/Work", folding).settle("Secrets/Key.txt")).toBe("Secrets/Key.txt");
  });
});

describe("what is opened", () => {
  const opened = (path: string) => statSync(path);

  test.each([
    ["a link", (to: string, at: string) => symlinkSync(to, at)],
    ["a hard link", (to: string, at: string) => linkSync(to, at)],
    ["another file", (to: string, at: string) => renameSync(to, at)],
  ])("is not %s that took the place of the file that guards were asked about", (_, replace) => {
    const root = makeFolder({ "a.txt": "x", secret: "y" });
    const [path, secret] = [join(root, "a.txt"), join(root, "secret")];
    const paths = new SettledPaths(root);
    paths.settle("a.txt");
    expect(() => paths.confirm(path, opened(path))).not.toThrow();
    rmSync(path);
    replace(secret, path);
    expect(() => paths.confirm(path, opened(path))).toThrow(/was replaced after the guards/);
  });

  test("may be a file that did not exist, but no link to one that did", () => {
    const root = makeFolder({ secret: "y" });
    const path = join(root, "new.txt");
    const paths = new SettledPaths(root);
    paths.settle("new.txt");
    writeFileSync(path, "x");
    expect(() => paths.confirm(path, opened(path))).not.toThrow();
    for (const link of [symlinkSync, linkSync]) {
      rmSync(path);
      link(join(root, "secret"), path);
      expect(() => paths.confirm(path, opened(path))).toThrow(/was replaced/);
    }
  });

  test.each<[string, (cwd: string) => Tool<never>, object]>([
    ["read", (cwd) => createReadTool(cwd) as Tool<never>, { path: "a.txt" }],
    ["grep", (cwd) => createGrepTool(cwd) as Tool<never>, { path: "a.txt", pattern: "y" }],
    ["write", (cwd) => createWriteTool(cwd) as Tool<never>, { path: "a.txt", content: "z" }],
    ["edit", (cwd) => createEditTool(cwd) as Tool<never>, { path: "a.txt", edits: [{ oldText: "y", newText: "z" }] }],
  ])("by %s is what was judged [claude.files.3]", async (_, make, args) => {
    const root = makeFolder({ "a.txt": "x", secret: "y" });
    const tool = make(root);
    const judged = validateArguments(tool, args);
    rmSync(join(root, "a.txt"));
    symlinkSync("secret", join(root, "a.txt"));
    await expect(tool.execute("1", judged as never, undefined, undefined, undefined)).rejects.toThrow(/was replaced/);
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("y");
  });
});
