import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLineSearch, splitLines } from "../../src/tool/line-search.ts";

/** A pattern that takes longer than anybody waits on `aaa…!`, and a text for it. */
const ENDLESS = { expression: /^(a+)+$/u, text: `${"a".repeat(60)}!` };

function searchFor(...args: Parameters<typeof createLineSearch>) {
  const search = createLineSearch(...args);
  onTestFinished(() => search.close());
  return search;
}

test.each([
  ["", []],
  ["a", ["a"]],
  ["a\n", ["a"]],
  ["a\r\nb\n\n", ["a", "b", ""]],
  ["a\rb", ["a\rb"]],
])("%j has the lines %j", (text, lines) => {
  expect(splitLines(text)).toEqual(lines);
});

describe.each([
  ["a pattern without repetition", /b|c/u, {}],
  ["one with repetition, on this thread", /[bc]+/u, {}],
  ["one with repetition, on a thread of its own", /[bc]+/u, { hereMs: 0 }],
])("%s", (_name, expression, options) => {
  test.each([
    ["no line", "a", 10, []],
    ["some lines", "a\nxb\r\nc\nd\ncc", 10, [2, 3, 5]],
    ["no more than the limit", "b\nb\nb", 2, [1, 2]],
  ])("finds %s", async (_case, text, limit, expected) => {
    expect(await searchFor(expression, options).search(text, limit, "f")).toEqual(expected);
  });

  test("searches one text after the other", async () => {
    const search = searchFor(expression, options);
    for (const text of ["a", "b", "a\nb"])
      expect(await search.search(text, 9, "f")).toEqual(
        text.split("\n").flatMap((line, index) => (line === "b" ? [index + 1] : [])),
      );
  });
});

test("both threads find the same lines", async () => {
  const plain = searchFor(/é|^$|x$/u);
  const here = searchFor(/é{1}|^$|x$/u);
  const there = searchFor(/é{1}|^$|x$/u, { hereMs: 0 });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom("é", "x", "\n", "\r\n", "\r", "👍"), maxLength: 30 }),
      async (text) => {
        const expected = await plain.search(text, 5, "f");
        expect(await here.search(text, 5, "f")).toEqual(expected);
        expect(await there.search(text, 5, "f")).toEqual(expected);
      },
    ),
    { numRuns: 50 },
  );
});

test("a pattern that does not finish soon leaves the calling thread, and the next text is still searched", async () => {
  const search = searchFor(ENDLESS.expression, { hereMs: 20, budgetMs: 400 });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  onTestFinished(() => clearInterval(timer));
  await expect(search.search(ENDLESS.text, 1, "f")).rejects.toThrow("took too long");
  expect(turns).toBeGreaterThan(10);
  expect(await search.search("b\naa", 1, "f")).toEqual([2]);
});

test("a pattern that does not finish is abandoned, with the file's name", async () => {
  const search = searchFor(ENDLESS.expression, { budgetMs: 50 });
  await expect(search.search(ENDLESS.text, 1, "src/a.ts")).rejects.toThrow(
    new Error(
      "The pattern took too long on src/a.ts: given up at line 1 after 0.05 s. Make it simpler, or use literal=true.",
    ),
  );
});

test("lines that are each within the limit are given up together, once they take longer than their text allows", async () => {
  // Each more letter doubles the time; each line takes a part of one limit.
  const slow = `${"a".repeat(22)}!\n`;
  const search = searchFor(ENDLESS.expression, { budgetMs: 400 });
  await expect(search.search(slow.repeat(10_000), 1, "f")).rejects.toThrow(
    /^The pattern took too long on f: given up at/,
  );
});

test("a long text is searched to its end, however often a limit runs out on the way", async () => {
  const line = `${"x".repeat(5000)}needle\n`;
  const search = searchFor(/x+needle/u, { hereMs: 1, budgetMs: 1 });
  const expected = Array.from({ length: 200 }, (_, index) => index + 1);
  // With a limit that no machine keeps, one line may be too much; what is found is right all the same.
  const found = await search.search(line.repeat(200), 1000, "f").catch((error: Error) => error.message);
  if (typeof found === "string") expect(found).toMatch(/given up at line/);
  else expect(found).toEqual(expected);
});

test("an abort ends a pattern that does not finish", async () => {
  const controller = new AbortController();
  const search = searchFor(ENDLESS.expression, { signal: controller.signal });
  const searching = search.search(ENDLESS.text, 1, "f");
  setImmediate(() => controller.abort());
  await expect(searching).rejects.toThrow(new Error("Operation aborted"));
  await expect(search.search("a", 1, "f")).rejects.toThrow(new Error("Operation aborted"));
});
