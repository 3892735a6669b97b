import { symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGrepTool } from "../../src/tool/grep.ts";
import { filesIn, makeFolder, run, textFrom } from "./folder.ts";

const tree = {
  "a.ts": "foo\nbar foo\nbaz\n",
  "b.js": "foo\r\nx\r\n",
  "d/c.ts": "xfoo(1)\nFOO\n",
  "d/e/f.md": "nothing\n",
  ".hidden": "foo",
};

test.each([
  [
    "every file below",
    { pattern: "foo" },
    ".hidden:1: foo\na.ts:1: foo\na.ts:2: bar foo\nb.js:1: foo\nd/c.ts:1: xfoo(1)",
  ],
  ["one folder, named from there", { pattern: "foo", path: "d" }, "c.ts:1: xfoo(1)"],
  ["one file, under its own name", { pattern: "foo", path: "d/c.ts" }, "c.ts:1: xfoo(1)"],
  ["without case", { pattern: "foo", path: "d", ignoreCase: true }, "c.ts:1: xfoo(1)\nc.ts:2: FOO"],
  ["plain text", { pattern: "foo(", literal: true }, "d/c.ts:1: xfoo(1)"],
  ["by a pattern", { pattern: "^ba[rz]", path: "a.ts" }, "a.ts:2: bar foo\na.ts:3: baz"],
  ["line ends before CRLF", { pattern: "foo$", path: "b.js" }, "b.js:1: foo"],
  ["with lines around", { pattern: "bar", path: "a.ts", context: 1 }, "a.ts-1- foo\na.ts:2: bar foo\na.ts-3- baz"],
  [
    "with lines around each of two neighbours",
    { pattern: "foo", path: "a.ts", context: 1 },
    "a.ts:1: foo\na.ts-2- bar foo\na.ts-1- foo\na.ts:2: bar foo\na.ts-3- baz",
  ],
  ["files of a kind", { pattern: "foo", glob: "*.js" }, "b.js:1: foo"],
  ["files of two kinds", { pattern: "foo", glob: "*.{js,md}" }, "b.js:1: foo"],
  ["files by their path", { pattern: "foo", glob: "d/**/*.ts" }, "d/c.ts:1: xfoo(1)"],
  ["files by their path from the working folder", { pattern: "foo", path: "d", glob: "d/*.ts" }, "c.ts:1: xfoo(1)"],
  ["all but files of a kind", { pattern: "foo", glob: "!*.ts" }, ".hidden:1: foo\nb.js:1: foo"],
  [
    "all but a folder",
    { pattern: "foo|nothing", glob: "!d/" },
    ".hidden:1: foo\na.ts:1: foo\na.ts:2: bar foo\nb.js:1: foo",
  ],
  [
    "up to a limit",
    { pattern: "foo", limit: 2 },
    ".hidden:1: foo\na.ts:1: foo\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]",
  ],
  ["nothing", { pattern: "absent" }, "No matches found"],
  ["no missing path", { pattern: "x", path: "nope" }, "Error: Path not found: <root>/nope"],
  [
    "no pattern that cannot be read",
    { pattern: "foo(" },
    "Error: regex parse error: Invalid regular expression: /foo(/: Unterminated group. Use literal=true for plain text.",
  ],
])("searches %s", async (_name, params, expected) => {
  const root = makeFolder(tree);
  expect((await textFrom(createGrepTool(root), params)).replace(root, "<root>")).toBe(expected);
});

describe("which files", () => {
  test("not what .gitignore names, whatever the glob", async () => {
    const root = makeFolder({ ".gitignore": "*.log\n", "a.log": "foo", "b.txt": "foo" });
    expect(await textFrom(createGrepTool(root), { pattern: "foo" })).toBe("b.txt:1: foo");
    expect(await textFrom(createGrepTool(root), { pattern: "foo", glob: "*.log" })).toBe("No matches found");
  });

  test("an ignored or binary file only when it is named itself", async () => {
    const root = makeFolder({ ".gitignore": "a.log\n", "a.log": "foo", "b.bin": "foo\0" });
    expect(await textFrom(createGrepTool(root), { pattern: "foo" })).toBe("No matches found");
    expect(await textFrom(createGrepTool(root), { pattern: "foo", path: "a.log" })).toBe("a.log:1: foo");
    expect(await textFrom(createGrepTool(root), { pattern: "foo", path: "b.bin" })).toBe("b.bin:1: foo\0");
  });

  test("no links below a folder, but one that is named itself", async () => {
    const root = makeFolder({ "real.txt": "foo", "d/": "" });
    symlinkSync("../real.txt", join(root, "d/link.txt"));
    expect(await textFrom(createGrepTool(root), { pattern: "foo", path: "d" })).toBe("No matches found");
    expect(await textFrom(createGrepTool(root), { pattern: "foo", path: "d/link.txt" })).toBe("link.txt:1: foo");
  });

  test.each([
    ["UTF-16, little end first", Buffer.from("\uFEFFé foo", "utf16le")],
    ["UTF-16, big end first", Buffer.from("\uFEFFé foo", "utf16le").swap16()],
    ["UTF-8 behind a mark", Buffer.from("\uFEFFé foo")],
  ])("text in %s", async (_name, bytes) => {
    expect(await textFrom(createGrepTool(makeFolder({ f: bytes })), { pattern: "^é" })).toBe("f:1: é foo");
  });

  test("a text that is too large is left out, and this is reported", async () => {
    const root = makeFolder({ big: `foo${" ".repeat(8000)}`, "big.bin": "foo", small: "foo" });
    for (const name of ["big", "big.bin"]) truncateSync(join(root, name), 65 * 1024 * 1024);
    expect(await textFrom(createGrepTool(root), { pattern: "foo" })).toBe(
      "small:1: foo\n\n[1 files over 64.0MB not searched]",
    );
    expect(await textFrom(createGrepTool(root), { pattern: "bar" })).toBe(
      "No matches found\n\n[1 files over 64.0MB not searched]",
    );
  });

  test("a file that cannot be read is left out, and this is reported; one that is named is an error", async () => {
    const root = makeFolder({ a: "foo", b: "foo" });
    const operations = {
      readFile: async (path: string) =>
        path.endsWith("a") ? Promise.reject(new Error("EACCES: permission denied")) : "foo",
    };
    const tool = createGrepTool(root, { operations });
    expect(await textFrom(tool, { pattern: "foo" })).toBe("b:1: foo\n\n[1 files could not be read]");
    expect(await textFrom(tool, { pattern: "foo", path: "a" })).toBe("Error: EACCES: permission denied");
  });
});

describe("limits of its own", () => {
  test("a hundred matches", async () => {
    const root = makeFolder({ f: "hit\n".repeat(101) });
    const { content, details } = await run(createGrepTool(root), { pattern: "hit" });
    expect(content).toEqual([
      {
        type: "text",
        text: expect.stringMatching(
          /f:100: hit\n\n\[100 matches limit reached\. Use limit=200 for more, or refine pattern\]$/,
        ),
      },
    ]);
    expect(details).toEqual({ matchLimitReached: 100 });
  });

  test("500 characters of a line, never half a one", async () => {
    const root = makeFolder({ f: `${"x".repeat(499)}👍\n${"y".repeat(500)}\n` });
    const { content, details } = await run(createGrepTool(root), { pattern: "[xy]" });
    expect(content).toEqual([
      {
        type: "text",
        text: `f:1: ${"x".repeat(499)}... [truncated]\nf:2: ${"y".repeat(500)}\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
      },
    ]);
    expect(details).toEqual({ linesTruncated: true });
  });

  test("50 KB, with every notice in one bracket", async () => {
    const root = makeFolder({ f: `${"é".repeat(600)}\n`.repeat(120) });
    const { content, details } = await run(createGrepTool(root), { pattern: "é" });
    expect(content).toEqual([
      {
        type: "text",
        text: expect.stringMatching(
          /\n\n\[100 matches limit reached\. Use limit=200 for more, or refine pattern\. 50\.0KB limit reached\. Some lines truncated to 500 chars\. Use read tool to see full lines\]$/,
        ),
      },
    ]);
    expect(details).toMatchObject({
      matchLimitReached: 100,
      linesTruncated: true,
      truncation: { truncatedBy: "bytes" },
    });
  });
});

describe("an abort", () => {
  test("before the start starts nothing", async () => {
    const root = makeFolder(tree);
    expect(await textFrom(createGrepTool(root), { pattern: "foo" }, { signal: AbortSignal.abort() })).toBe(
      "Error: Operation aborted",
    );
  });

  test("ends a pattern that runs away", async () => {
    // The longer the line, the longer its pattern may take.
    const root = makeFolder({ f: `${"a".repeat(60)}!${"b".repeat(8_000_000)}` });
    const controller = new AbortController();
    const searching = textFrom(createGrepTool(root), { pattern: "^(a+)+$" }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    expect(await searching).toBe("Error: Operation aborted");
  });
});

test("a pattern that never ends on a line fails, with the file and the line", async () => {
  const root = makeFolder({ f: `aa\n${"a".repeat(60)}!\n` });
  expect(await textFrom(createGrepTool(root), { pattern: "^(a+)+$" })).toMatch(
    /^Error: The pattern took too long on f: given up at line 2 after [\d.]+ s\. Make it simpler, or use literal=true\.$/,
  );
});

test("operations read a file that is not here", async () => {
  const operations = { isDirectory: async () => false, readFile: async (path: string) => `foo in ${path}` };
  expect(await textFrom(createGrepTool("/far", { operations }), { pattern: "foo", path: "f" })).toBe(
    "f:1: foo in /far/f",
  );
});

test("a search changes nothing", async () => {
  const root = makeFolder(tree);
  const before = filesIn(root);
  await run(createGrepTool(root), { pattern: "." });
  expect(filesIn(root)).toEqual(before);
});
