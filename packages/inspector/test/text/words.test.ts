import fc from "fast-check";
import { expect, test } from "vitest";
import { type Stretch, stretchesOf } from "../../src/text/words.ts";

const told = (stretches: readonly Stretch[]): string =>
  stretches.map(({ kind, text }) => (kind === "same" ? text : kind === "added" ? `+${text}+` : `-${text}-`)).join("");

test("a changed word is marked as a whole", () => {
  expect(told(stretchesOf("rm -rf build", "rm -rf built"))).toBe("rm -rf -build-+built+");
  expect(told(stretchesOf("one two", "one new two"))).toContain("+new");
});

test("equal texts have one stretch", () => {
  expect(stretchesOf("same\ntext", "same\ntext")).toEqual([{ kind: "same", text: "same\ntext" }]);
  expect(stretchesOf("", "")).toEqual([]);
});

test("a long text is compared where it differs alone", () => {
  const head = "word ".repeat(100_000);
  const found = stretchesOf(`${head}old end`, `${head}new end`);
  expect(found.filter(({ kind }) => kind !== "same")).toEqual([
    { kind: "removed", text: "old" },
    { kind: "added", text: "new" },
  ]);
});

const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.array(fc.constantFrom("a", "b ", "\n", "👩‍🚀", "ä", "\ud83d")).map((all) => all.join("")),
);

test("what is not added is the text before, what is not removed the text after", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const found = stretchesOf(before, after);
      const without = (kind: string): string =>
        found
          .filter((one) => one.kind !== kind)
          .map(({ text }) => text)
          .join("");
      expect(without("added")).toBe(before);
      expect(without("removed")).toBe(after);
    }),
  );
});
