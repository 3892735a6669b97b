import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isLarge, sizeOf } from "../../src/cache/entry.ts";
import { previewOf, shownText } from "../../src/cache/keep.ts";
import { cachedFile, cachedOutputs, dropOldOutputs, storeOutput } from "../../src/cache/store.ts";
import { scratch } from "./scratch.ts";

const NOW = 1_769_644_800_000;
const output = { tool: "fetch_url", args: { url: "https://example.com" }, text: "é\nb\n" };

test("an output is kept whole beside its description, in private files", () => {
  const folder = scratch();
  const { id } = storeOutput(folder, output, NOW);
  expect(id).toMatch(/^fetch_url_697aa300_[0-9a-f]{8}$/);
  expect(readFileSync(join(folder, `${id}.cache`), "utf8")).toBe(output.text);
  expect(JSON.parse(readFileSync(join(folder, `${id}.meta.json`), "utf8"))).toEqual({
    id,
    tool_name: "fetch_url",
    timestamp: NOW / 1000,
    args_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    char_count: 5,
    token_estimate: 1,
    line_count: 2,
  });
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

test("the same call within one second gets another id, and the first output stays", () => {
  const folder = scratch();
  const first = storeOutput(folder, output, NOW).id;
  const second = storeOutput(folder, { ...output, text: "other" }, NOW).id;
  expect(second).toBe(`${first}_2`);
  expect(readFileSync(cachedFile(folder, first), "utf8")).toBe(output.text);
  expect(readFileSync(cachedFile(folder, second), "utf8")).toBe("other");
});

test("a tool's name that could lead out of the folder becomes part of a file's name only", () => {
  const folder = scratch();
  const { id, tool_name } = storeOutput(folder, { ...output, tool: "../../x y" }, NOW);
  expect(tool_name).toBe("../../x y");
  expect(readdirSync(folder)).toContain(`${id}.cache`);
});

test.each(["nothing", "../secret", "", "a/b"])("the id %j is not found", (id) => {
  const folder = join(scratch(), "tool_cache");
  mkdirSync(folder);
  writeFileSync(join(folder, "../secret.cache"), "secret");
  expect(() => cachedFile(folder, id)).toThrow(`Cache entry not found: ${id}.`);
});

test("outputs are listed newest first; invalid descriptions are skipped", () => {
  const folder = scratch();
  const ids = [1, 2, 3].map((second) => storeOutput(folder, output, NOW + second * 1000).id);
  writeFileSync(join(folder, "broken.meta.json"), "{");
  writeFileSync(join(folder, "foreign.meta.json"), '{"id":"../x","timestamp":1}');
  expect(cachedOutputs(folder).map(({ id }) => id)).toEqual(ids.reverse());
  expect(cachedOutputs(join(folder, "none"))).toEqual([]);
});

test("outputs that are too old are removed with their descriptions, others stay", () => {
  const folder = scratch();
  const day = 86_400_000;
  const kept = storeOutput(folder, output, NOW - 8 * day).id;
  storeOutput(folder, output, NOW - 8 * day - 1000);
  expect(dropOldOutputs(folder, 8, NOW)).toBe(1);
  expect(readdirSync(folder).sort()).toEqual([`${kept}.cache`, `${kept}.meta.json`]);
});

test.each([
  ["x".repeat(4000), false],
  ["x".repeat(4001), true],
  ["é".repeat(2001), true],
  [`Error:${"x".repeat(9000)}`, false],
  [" \n".repeat(9000), false],
  ["", false],
])("whether an output is large goes by its bytes; errors and blanks are not (case %#)", (text, large) => {
  expect(isLarge(text, 4000)).toBe(large);
});

test.each([
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["\n\n", 2],
])("%j has %i lines", (text, lines) => {
  expect(sizeOf(text).lineCount).toBe(lines);
});

test("the model sees id, tool, sizes, the start, and how to see more", () => {
  const entry = storeOutput(scratch(), { ...output, text: "one\ntwo\nthree" }, NOW);
  expect(shownText(entry, { preview: previewOf("one\ntwo\nthree", 9) })).toBe(
    [
      `[Output cached: ${entry.id}]`,
      "Tool: fetch_url | Size: 13 chars, ~3 tokens | Lines: 3",
      "Preview:",
      "---",
      "one\ntwo",
      "---",
      `Use file_head, file_tail, file_lines, file_grep with cache_id="${entry.id}" to examine.`,
    ].join("\n"),
  );
  expect(shownText(entry, { summary: "S" })).toContain("\nSummary:\n---\nS\n---\n");
});

test("a preview is a start in whole characters and, if there are lines, in whole lines", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, max) => {
      const preview = previewOf(text, max);
      expect(text.startsWith(preview)).toBe(true);
      expect([...preview].length).toBeLessThanOrEqual(max);
      expect(preview.isWellFormed()).toBe(text.isWellFormed() || preview.isWellFormed());
      const start = [...text].slice(0, max).join("");
      if (start.includes("\n")) expect(start[preview.length]).toBe("\n");
      else expect(preview).toBe(start);
    }),
  );
});
