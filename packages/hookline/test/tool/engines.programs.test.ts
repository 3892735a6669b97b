import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHookRuntime } from "@hookline/runtime/session";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { bytePattern } from "../../src/tool/byte-pattern.ts";
import { createByteSearch } from "../../src/tool/byte-search.ts";
import type { ContentFilter } from "../../src/tool/content-filter.ts";
import { createGrepTool, type GrepInput } from "../../src/tool/grep.ts";
import { grepFiles, type NamedFile } from "../../src/tool/grep-files.ts";
import { splitLines } from "../../src/tool/line-search.ts";
import { compilePattern } from "../../src/tool/pattern.ts";
import { createRipgrep } from "../../src/tool/ripgrep.ts";
import { decodeText } from "../../src/tool/text-file.ts";
import { walk } from "../../src/tool/walk.ts";
import { BEFORE, collect, makeFolder, textFrom } from "./folder.ts";
import { regexes, texts } from "./patterns.ts";

const withoutRipgrep = spawnSync("rg", ["--version"]).status !== 0;
/** Debian calls it fdfind, because another program has the name. */
const fd = ["fd", "fdfind"].find((name) => spawnSync(name, ["--version"]).stdout?.toString().startsWith("fd"));
const runtime = createHookRuntime({ home: NO_HOME });
afterAll(() => runtime.close());
const { processes } = runtime;

const nothing: ContentFilter = {
  pass: async () => expect.unreachable("ripgrep did not search"),
  close: async () => {},
};

/** A tree with all that engines could disagree about, behind enough files that they are asked. */
function oddTree(): string {
  const root = makeFolder({
    ...BEFORE,
    ".gitignore": "*.log\n/build\n!keep.log\n",
    "a.log": "needle",
    "keep.log": "needle 1",
    "build/x": "needle",
    "odd.txt": "needle 2",
    "sub/build/x": "needle 3",
    "sub/.gitignore": "hidden*\n",
    "sub/hidden.txt": "needle",
    "sub/.ignore": "!hidden.txt\nown.txt\n",
    "sub/own.txt": "needle",
    "sub/.rgignore": "rg.txt\n",
    "sub/.fdignore": "rg.txt\n",
    "sub/rg.txt": "needle 4",
    "repo/.git/config": "needle",
    "repo/a.log": "needle 5",
    ".config/hidden": "needle 6",
    "node_modules/p/index.js": "needle 7",
    "-e": "needle 8",
    "--files": "needle 9",
    "with space": "needle 10",
    "with\nline": "needle 11",
    "with'quote\"*?[x]": "needle 12",
    "ünï/👍": "needle 13",
    "crlf.txt": "one\r\nneedle\r\nlast needle\r\n",
    "end.txt": "x\nneedle",
    "zero.bin": "needle\0",
    "late.bin": `${"x".repeat(9000)}\nneedle\0\n`,
    "marked.txt": "\uFEFFneedle",
    "le.txt": Buffer.from("\uFEFFneedle é", "utf16le"),
    "be.txt": Buffer.from("\uFEFFneedle é", "utf16le").swap16(),
    "torn.txt": Buffer.from([0xff, 0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xc3, 0x0a, 0xe2, 0x82]),
    "long.txt": `${"y".repeat(3_000_000)} needle\nneedle`,
    "large.txt": "abc needle\n".repeat(200_000),
    "empty.txt": "",
    "breaks.txt": "\n\n\n",
    "zz/deep/er/file.ts": "function needle() {}\n",
  });
  symlinkSync("zz", join(root, "to-folder"));
  symlinkSync("keep.log", join(root, "to-file"));
  symlinkSync("nowhere", join(root, "broken"));
  symlinkSync("..", join(root, "sub/up"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  // A name that is no UTF-8.
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x7a, 0xff])]), "needle");
  return root;
}

/** Returns what the search finds when it reads every file. */
async function everything(root: string, input: GrepInput) {
  async function* files(): AsyncGenerator<NamedFile> {
    for await (const { kind, path, relative } of walk(root, { cwd: root }))
      if (kind === "file") yield { path, name: relative, forced: false };
  }
  const { limit = 100, context: contextLines = 0 } = input;
  const options = { limit, contextLines, signal: undefined };
  return grepFiles(
    { files: files(), readFile: undefined, isLeftOut: () => false },
    compilePattern(input.pattern, input),
    options,
  );
}

describe.skipIf(withoutRipgrep || process.platform === "win32")("beside ripgrep", () => {
  test.each<GrepInput>([
    { pattern: "needle" },
    { pattern: "needle", limit: 3 },
    { pattern: "needle", limit: 5000 },
    { pattern: "NEEDLE", ignoreCase: true },
    { pattern: "needle$" },
    { pattern: "^needle" },
    { pattern: "^needle$", context: 2 },
    { pattern: "n[^a]+e \\d{1,2}" },
    { pattern: "needle \\S" },
    { pattern: "(?<=l)e\\b" },
    { pattern: "(e)\\1dle" },
    { pattern: "(?i)FUNCTION\\s+needle\\(" },
    { pattern: "[[:digit:]]", limit: 20 },
    { pattern: "\\p{Lu}" },
    { pattern: "\uFFFD" },
    { pattern: "é" },
    { pattern: "^$" },
    { pattern: "needle()", literal: true },
    { pattern: "[x]", literal: true },
    { pattern: "not there" },
    { pattern: "needle|" },
    { pattern: "a{", limit: 2 },
  ])("the same is found, whoever looks: %j", async (input) => {
    const root = oddTree();
    const all = await everything(root, { limit: 100, ...input });
    const own = await textFrom(createGrepTool(root), input);
    expect(await textFrom(createGrepTool(root, { processes }), input)).toBe(own);
    if (all.lines.length === 0) expect(own).toMatch(/^No matches found/);
    // Beyond 50 KB the result ends earlier than the search.
    const shown = own.replace(/\n\n\[[^\n]*\]$/, "");
    if (all.lines.length > 0) expect(all.lines.join("\n").startsWith(shown)).toBe(true);
    for (const notice of all.notices) if (!notice.includes("not searched")) expect(own).toContain(notice);
  });

  test.each([
    ["a folder of which everything is searched", "whole", {}],
    ["a link to it", "link", {}],
    ["it with a slash behind it", "whole/", {}],
    ["what a glob wants of it", "whole", { glob: "*1.txt" }],
    ["all but what a glob leaves out", "whole", { glob: "!*1.txt" }],
    ["one with ignored files in it", "part", {}],
    ["both", ".", {}],
  ])("the same is found in %s", async (_, path, more) => {
    const files = (folder: string, text: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${folder}/${i}.txt`, i % 50 === 1 ? text : "no"]));
    const root = makeFolder({
      ...files("whole", "needle"),
      ...files("part", "needle"),
      ...files("whole/below/out", "needle"),
      "part/.gitignore": "*7.txt\n",
      "whole/below/.gitignore": "out\n",
    });
    symlinkSync("whole", join(root, "link"));
    symlinkSync("whole/1.txt", join(root, "part/link.txt"));
    execFileSync("mkfifo", [join(root, "whole/pipe")]);
    const input = { pattern: "needle", path, limit: 1000, ...more };
    const own = await textFrom(createGrepTool(root), input);
    expect(own).toMatch("glob" in more && more.glob.startsWith("!") ? "No matches found" : /251\.txt:1: needle/);
    expect(await textFrom(createGrepTool(root, { processes }), input)).toBe(own);
  });

  test("a walk names what ripgrep and fd name", async () => {
    const root = oddTree();
    // Files that only one of the programs reads, and the rules of a repository, which hold in both.
    for (const name of ["sub/.rgignore", "sub/.fdignore"]) rmSync(join(root, name));
    mkdirSync(join(root, ".git"));
    const ours = await collect(walk(root, { cwd: root }));
    const named = (program: string, ...args: string[]) =>
      execFileSync(program, args, { cwd: root, encoding: "utf8" })
        .split("\0")
        .filter((name) => name !== "")
        .map((name) => name.replace(/^\.\//, "").replace(/\/$/, ""))
        .sort();
    const names = (kinds: readonly string[]) =>
      ours.flatMap(({ kind, relative }) => (kinds.includes(kind) ? [relative] : [])).sort();
    const everywhere = ["--hidden", "--no-ignore-global", "--glob=!.git"];
    expect(names(["file"])).toEqual(named("rg", "--no-config", "--files", "--null", ...everywhere));
    if (fd !== undefined)
      expect(names(["file", "folder", "other"])).toEqual(named(fd, "--hidden", "--exclude=.git", "--print0"));
  });

  test.each([
    ["needle", "keep.log:1: needle\n\n[1 files over 64.0MB not searched]"],
    ["absent", "No matches found"],
  ])("a text that is too large is reported if it may hold a match: %s", async (pattern, expected) => {
    const root = makeFolder({ ...BEFORE, "keep.log": "needle", "large.txt": "", "large.bin": "needle" });
    const lines = Buffer.from(`${"needle".padEnd(127)}\n`.repeat(8192));
    for (let size = 0; size <= 64 * 1024 * 1024; size += lines.length) appendFileSync(join(root, "large.txt"), lines);
    truncateSync(join(root, "large.bin"), 65 * 1024 * 1024);
    expect(await textFrom(createGrepTool(root, { processes }), { pattern })).toBe(expected);
    expect(await textFrom(createGrepTool(root), { pattern })).toBe(expected);
  });

  test.each(["^(a+)+$", "^(a|aa)+$"])(
    "a pattern that never ends fails with the file and the line: %s",
    async (pattern) => {
      const root = makeFolder({ ...BEFORE, "z.txt": `aa\n${"a".repeat(60)}!\n` });
      const expected = /^Error: The pattern took too long on z\.txt: given up at line 2 after/;
      expect(await textFrom(createGrepTool(root, { processes }), { pattern })).toMatch(expected);
      expect(await textFrom(createGrepTool(root), { pattern })).toMatch(expected);
    },
  );

  test("on random patterns and files it passes each file that holds a match", {
    timeout: 180_000,
    retry: 2,
  }, async () => {
    let matched = 0;
    let patterns = 0;
    await fc.assert(
      fc.asyncProperty(regexes, fc.array(texts, { minLength: 40, maxLength: 40 }), async (expression, contents) => {
        const wider = bytePattern(expression);
        if (wider === undefined) return;
        const root = makeFolder(Object.fromEntries(contents.map((bytes, index) => [`${index}`, bytes])));
        const files = contents.map((_, index) => ({ path: join(root, `${index}`), name: `${index}`, forced: false }));
        const isMatch = (bytes: Buffer) => splitLines(decodeText(bytes) ?? "").some((line) => expression.test(line));
        const expected = files.filter((_, index) => isMatch(contents[index] as Buffer));
        const filters = [createRipgrep(wider, { processes, cwd: root, otherwise: nothing }), createByteSearch(wider)];
        for (const filter of filters) {
          const passed = new Set(await filter.pass(files).finally(filter.close));
          expect(expected.filter((file) => !passed.has(file))).toEqual([]);
        }
        matched += expected.length;
        patterns++;
      }),
      { numRuns: 150 },
    );
    expect(patterns).toBeGreaterThan(100);
    expect(matched).toBeGreaterThan(500);
  });
});
