import { applyPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeChange } from "../../src/tool/diff.ts";
import { createEditTool } from "../../src/tool/edit.ts";
import { makeFolder, numbered, run } from "./folder.ts";

describe("the diff for people", () => {
  test("numbers lines and shows four unchanged ones on each side", () => {
    const before = numbered(12);
    expect(describeChange("f", before, before.replace("\n6\n", "\nsix\nSIX\n"))).toMatchObject({
      firstChangedLine: 6,
      diff: [
        "    ...",
        "  2 2",
        "  3 3",
        "  4 4",
        "  5 5",
        "- 6 6",
        "+ 6 six",
        "+ 7 SIX",
        "  7 7",
        "  8 8",
        "  9 9",
        " 10 10",
        "    ...",
      ].join("\n"),
    });
  });

  test("joins changes that are near, and marks a gap between far ones", () => {
    const before = numbered(30);
    const near = before.replace("\n5\n", "\nx\n").replace("\n14\n", "\ny\n");
    expect(
      describeChange("f", before, near)
        .diff.split("\n")
        .filter((line) => line.endsWith("...")),
    ).toHaveLength(1);
    const far = before.replace("\n5\n", "\nx\n").replace("\n15\n", "\ny\n");
    expect(describeChange("f", before, far).diff).toContain("  9 9\n    ...\n 11 11\n");
  });

  test("an edit carries it, with the patch", async () => {
    const root = makeFolder({ f: "a\r\nb\r\n" });
    const { details } = await run(createEditTool(root), { path: "f", edits: [{ oldText: "b", newText: "c" }] });
    expect(details).toEqual({
      diff: " 1 a\n-2 b\n+2 c",
      firstChangedLine: 2,
      patch: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    });
  });
});

test.each([
  ["in between", "head\n<old>tail\n", 1200],
  ["of everything", "<old>", 1200],
  ["at the end, without a line break", "head\n<old>tail", 1200],
])("a very large change %s is one block, and its patch applies", (_name, frame, count) => {
  const block = (word: string) => Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join("");
  const before = frame.replace("<old>", block("old"));
  const after = frame.replace("<old>", block("new"));
  const { diff, patch } = describeChange("f", before, after);
  expect(diff.match(/^-/gm)).toHaveLength(count);
  expect(diff.match(/^\+/gm)).toHaveLength(count);
  expect(applyPatch(before, patch)).toBe(after);
});

test("every patch leads from the old text to the new one", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((list) => list.join("\n"));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      fc.pre(before !== after);
      expect(applyPatch(before, describeChange("f", before, after).patch)).toBe(after);
    }),
  );
});
