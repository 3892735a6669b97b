import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storeOutput } from "../../src/cache/store.ts";
import { createCacheListTool } from "../../src/tool/cache-list.ts";
import { createFileGrepTool } from "../../src/tool/file-grep.ts";
import { createFileHeadTool } from "../../src/tool/file-head.ts";
import { createFileLinesTool } from "../../src/tool/file-lines.ts";
import { createFileTailTool } from "../../src/tool/file-tail.ts";
import type { FilePlaces } from "../../src/tool/file-target.ts";
import { numbered, scratch, told } from "./scratch.ts";

/** A cache with one output, and the tools on it. */
function cached(text: string, paths: readonly string[] = []) {
  const home = scratch();
  const folder = join(home, "tool_cache");
  const { id: cache_id } = storeOutput(folder, { tool: "bash", args: {}, text }, 1_769_644_800_000);
  const places: FilePlaces = { cacheFolder: () => folder, allowed: { paths, home, cwd: home } };
  return {
    home,
    cache_id,
    head: createFileHeadTool(places),
    tail: createFileTailTool(places),
    lines: createFileLinesTool(places),
    grep: createFileGrepTool(places),
    list: createCacheListTool(places),
  };
}

test("file_head and file_tail give 50 lines, or as many as are asked for", async () => {
  const { head, tail, cache_id } = cached(numbered(120));
  expect(await told(head, { cache_id })).toBe(numbered(50).trimEnd());
  expect(await told(head, { cache_id, lines: 2 })).toBe("line 1\nline 2");
  expect((await told(tail, { cache_id })).split("\n")).toHaveLength(50);
  expect(await told(tail, { cache_id, lines: 2 })).toBe("line 119\nline 120");
});

test("file_lines gives a range with both ends, as far as there are lines", async () => {
  const { lines, cache_id } = cached(numbered(5));
  expect(await told(lines, { cache_id, start: 2, end: 3 })).toBe("line 2\nline 3");
  expect(await told(lines, { cache_id, start: 4, end: 9 })).toBe("line 4\nline 5");
  expect(await told(lines, { cache_id, start: 0, end: 1 })).toBe("Lines are counted from 1: start must be 1 or more.");
  expect(await told(lines, { cache_id, start: 3, end: 2 })).toBe("end must not be before start.");
});

test("file_grep marks matches, shows lines around them once, and marks gaps", async () => {
  const { grep, cache_id } = cached("a\nb\nX1\nc\nX2\nd\ne\nf\ng\nh\nX3\ni\n");
  expect(await told(grep, { cache_id, pattern: "X\\d", context_before: 1, context_after: 1 })).toBe(
    " 2:b\n>3:X1\n 4:c\n>5:X2\n 6:d\n--\n 10:h\n>11:X3\n 12:i",
  );
  expect(await told(grep, { cache_id, pattern: "X2" })).toBe(" 3:X1\n 4:c\n>5:X2\n 6:d\n 7:e");
  expect(await told(grep, { cache_id, pattern: "^c$", context_before: 0, context_after: 0 })).toBe(">4:c");
  expect(await told(grep, { cache_id, pattern: "nothing" })).toBe("No matches found for pattern: nothing");
  expect(await told(grep, { cache_id, pattern: "(" })).toMatch(/regex parse error/);
});

test("what is too long for a model is cut, with a note", async () => {
  const { head, tail, cache_id } = cached(numbered(5000));
  expect(await told(head, { cache_id, lines: 5000 })).toMatch(/\n\[2000 of 5000 lines shown; .*\]$/);
  expect(await told(tail, { cache_id, lines: 5000 })).toMatch(/^\[The last 2000 of 5000 lines shown; .*\]\n/);
});

test("a call names exactly one of cache_id and path", async () => {
  const { head, cache_id } = cached("x");
  expect(await told(head, {})).toBe("Must provide either cache_id or path.");
  expect(await told(head, { cache_id, path: "x" })).toBe("Provide either cache_id or path, not both.");
  expect(await told(head, { cache_id, path: "" })).toBe("x");
});

test("a path is refused unless a folder is allowed that really holds it", async () => {
  const closed = cached("x");
  expect(await told(closed.head, { path: "/etc/hostname" })).toMatch(/^File path access is not allowed\. Use cache_id/);

  const { head, home } = cached("x", ["~/open"]);
  mkdirSync(join(home, "open"));
  mkdirSync(join(home, "open-not"));
  writeFileSync(join(home, "open/a.txt"), "inside");
  writeFileSync(join(home, "secret.txt"), "secret");
  writeFileSync(join(home, "open-not/b.txt"), "secret");
  symlinkSync(join(home, "secret.txt"), join(home, "open/link.txt"));
  expect(await told(head, { path: "~/open/a.txt" })).toBe("inside");
  expect(await told(head, { path: join(home, "open/a.txt") })).toBe("inside");
  for (const path of ["~/secret.txt", "~/open/../secret.txt", "~/open/link.txt", "~/open-not/b.txt"])
    expect(await told(head, { path })).toBe(`Path '${path}' is not under any allowed path. Allowed: ~/open`);
  expect(await told(head, { path: "~/open/none" })).toMatch(/^Could not resolve path '~\/open\/none'/);
});

test("cache_list tells ids, tools, sizes and times", async () => {
  const { list, cache_id } = cached(numbered(2));
  expect(await told(list, {})).toBe(
    `Cached tool outputs:\n\n  ${cache_id} (bash):\n    Tool: bash\n    Size: 14 chars (~3 tokens), 2 lines\n    Cached: 2026-01-29 00:00:00\n`,
  );
  const empty = createCacheListTool({
    cacheFolder: () => "/nothing/here",
    allowed: { paths: [], home: "/", cwd: "/" },
  });
  expect(await told(empty, {})).toBe("No cached outputs found.");
});
