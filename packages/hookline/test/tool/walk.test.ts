import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type WalkOptions, walk } from "../../src/tool/walk.ts";
import { collect, makeFolder } from "./folder.ts";

/** Everything that a walk finds, folders with a slash behind them. */
async function found(root: string, options: Partial<WalkOptions> = {}): Promise<string[]> {
  const entries = await collect(walk(root, { cwd: root, ...options }));
  return entries.map((entry) => (entry.kind === "folder" ? `${entry.relative}/` : entry.relative));
}

test.each<[string, Record<string, string>, string[]]>([
  [
    "everything in order, hidden things too",
    { "b/x": "", "a.txt": "", ".c": "", B: "" },
    [".c", "B", "a.txt", "b/", "b/x"],
  ],
  ["nothing of .git", { ".git/config": "", "sub/.git": "gitdir: x", a: "" }, ["a", "sub/"]],
  [
    "nothing that .gitignore names",
    { ".gitignore": "*.log\n/out\n# x\n", "a.log": "", "d/b.log": "", "out/x": "", "d/out/y": "" },
    [".gitignore", "d/", "d/out/", "d/out/y"],
  ],
  [
    "what is taken back",
    { ".gitignore": "*.log\n!keep.log\n", "a.log": "", "d/keep.log": "" },
    [".gitignore", "d/", "d/keep.log"],
  ],
  [
    "a star behind a backslash as a star",
    { ".gitignore": "\\*\na\\*\n[\\*]b\n\\\\*\n", "*": "", "a*": "", ab: "", "*b": "", "d/x": "" },
    [".gitignore", "ab", "d/", "d/x"],
  ],
  [
    "the folders in a folder, not its files",
    { ".gitignore": "d/**/\ne/**/ \r\n", "d/a": "", "d/e/f/a": "", "e/a": "", "e/e/a": "" },
    [".gitignore", "d/", "d/a", "e/", "e/a"],
  ],
  ["folders by a slash, files not", { ".gitignore": "x/\n", x: "", "d/x/y": "" }, [".gitignore", "d/", "x"]],
  [
    "rules of a folder below",
    { "d/.gitignore": "a\n", a: "", "d/a": "", "d/e/a": "" },
    ["a", "d/", "d/.gitignore", "d/e/"],
  ],
  [
    "what a folder below takes back",
    { ".gitignore": "*.log\n", "d/.gitignore": "!a.log\n", "d/a.log": "", "d/b.log": "" },
    [".gitignore", "d/", "d/.gitignore", "d/a.log"],
  ],
  [
    "a whole folder that is taken back",
    { ".gitignore": "out\n", "d/.gitignore": "!out\n", "d/out/deep/x": "", "out/y": "" },
    [".gitignore", "d/", "d/.gitignore", "d/out/", "d/out/deep/", "d/out/deep/x"],
  ],
  [
    ".ignore before .gitignore",
    { ".gitignore": "a\n", ".ignore": "!a\nb\n", a: "", b: "" },
    [".gitignore", ".ignore", "a"],
  ],
  ["case as it is", { ".gitignore": "A\n", A: "", "d/a": "" }, [".gitignore", "d/", "d/a"]],
  ["private excludes of the repository", { ".git/info/exclude": "a\n", a: "", b: "" }, ["b"]],
  [
    "rules that end where another repository begins",
    { ".git/": "", ".gitignore": "a\n", "sub/.git/": "", "sub/a": "", a: "" },
    [".gitignore", "sub/", "sub/a"],
  ],
])("finds %s", async (_name, files, expected) => {
  expect(await found(makeFolder(files))).toEqual(expected);
});

test("rules above the folder hold from the top of the repository", async () => {
  const root = makeFolder({
    "repo/.git/": "",
    "repo/.gitignore": "a\n",
    ".gitignore": "b\n",
    "repo/d/e/a": "",
    "repo/d/e/b": "",
  });
  expect(await found(join(root, "repo/d/e"))).toEqual(["b"]);
});

test("outside of a repository, rules above hold from the working folder", async () => {
  const root = makeFolder({ ".gitignore": "*\n", "w/.gitignore": "a\n", "w/d/a": "", "w/d/b": "" });
  expect(await found(join(root, "w/d"), { cwd: join(root, "w") })).toEqual(["b"]);
  expect(await found(join(root, "w/d"), { cwd: "/elsewhere" })).toEqual(["a", "b"]);
});

test("an ignored folder that is asked for by name is searched, as if the file that ignores it were not there", async () => {
  const root = makeFolder({ ".git/": "", ".gitignore": "out/\n*.log\n", "out/a": "", "out/b.log": "" });
  expect(await found(join(root, "out"))).toEqual(["a", "b.log"]);
});

test("links are listed and not followed, so a circle does no harm", async () => {
  const root = makeFolder({ "d/a": "" });
  symlinkSync("..", join(root, "d/up"));
  expect(await found(root)).toEqual(["d/", "d/a", "d/up"]);
});

test("what is skipped is skipped with everything below", async () => {
  const root = makeFolder({ "d/a": "", "e/a": "" });
  expect(await found(root, { skip: (entry) => entry.relative === "d" })).toEqual(["e/", "e/a"]);
});

test("an abort ends the walk", async () => {
  const controller = new AbortController();
  const entries = walk(makeFolder({ a: "", b: "" }), { cwd: "/", signal: controller.signal });
  expect((await entries.next()).value?.relative).toBe("a");
  controller.abort();
  await expect(entries.next()).rejects.toThrow(new Error("Operation aborted"));
});

test("a folder that cannot be read is reported", async () => {
  const root = makeFolder({ a: "" });
  const unread: string[] = [];
  expect(await found(join(root, "nope"), { onUnreadable: (path) => unread.push(path) })).toEqual([]);
  expect(unread).toEqual([join(root, "nope")]);
});

test.skipIf(process.platform === "win32")("a folder without permission does not end the walk", async () => {
  const root = makeFolder({ "d/a": "", e: "" });
  chmodSync(root, 0o755);
  chmodSync(join(root, "d"), 0);
  // Root may read everywhere, so for once it acts as somebody who may not.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) process.seteuid?.(65_534);
  try {
    expect(await found(root)).toEqual(["d/", "e"]);
  } finally {
    if (asRoot) process.seteuid?.(0);
    chmodSync(join(root, "d"), 0o700);
  }
});
