import { describe, expect, test } from "vitest";
import { formatSize, truncateHead, truncateLine, truncateTail } from "../../../ground/src/decode/truncate.ts";
import { createEventBus } from "../../src/in-process/actions.ts";
import { calculateCost, createFrontmatter } from "../../src/in-process/pure.ts";

describe("truncation", () => {
  const whole = { truncated: false, truncatedBy: null, lastLinePartial: false, firstLineExceedsLimit: false };

  test.each([
    ["", 0, 0],
    ["a\nb\n", 2, 4],
    ["a\nb", 2, 3],
    ["ü", 1, 2],
  ])("%j is kept whole", (content, lines, bytes) => {
    const kept = {
      ...whole,
      content,
      totalLines: lines,
      totalBytes: bytes,
      outputLines: lines,
      outputBytes: bytes,
      maxLines: 2000,
      maxBytes: 51_200,
    };
    expect(truncateHead(content)).toEqual(kept);
    expect(truncateTail(content)).toEqual(kept);
  });

  test("by lines, the first or the last are kept", () => {
    const content = "1\n2\n3\n4\n";
    expect(truncateHead(content, { maxLines: 2 })).toMatchObject({
      content: "1\n2",
      truncatedBy: "lines",
      outputLines: 2,
      totalLines: 4,
    });
    expect(truncateTail(content, { maxLines: 2 })).toMatchObject({
      content: "3\n4",
      truncatedBy: "lines",
      outputLines: 2,
    });
  });

  test("by bytes, lines are kept whole, and a long one alone is left out or cut between characters", () => {
    expect(truncateHead("ab\ncd\nef", { maxBytes: 5 })).toMatchObject({
      content: "ab\ncd",
      truncatedBy: "bytes",
      outputBytes: 5,
    });
    expect(truncateTail("ab\ncd\nef", { maxBytes: 5 })).toMatchObject({ content: "cd\nef", truncatedBy: "bytes" });
    expect(truncateHead("abcdef", { maxBytes: 3 })).toMatchObject({
      content: "",
      firstLineExceedsLimit: true,
      outputLines: 0,
    });
    expect(truncateTail("aüüü", { maxBytes: 5 })).toMatchObject({
      content: "üü",
      lastLinePartial: true,
      outputLines: 1,
    });
  });

  test("a line is cut at a number of characters", () => {
    expect(truncateLine("abc")).toEqual({ text: "abc", wasTruncated: false });
    expect(truncateLine("abcdef", 3)).toEqual({ text: "abc... [truncated]", wasTruncated: true });
  });

  test.each([
    [0, "0B"],
    [1023, "1023B"],
    [1536, "1.5KB"],
    [1_048_576, "1.0MB"],
  ])("%d bytes are %s", (bytes, size) => {
    expect(formatSize(bytes)).toBe(size);
  });
});

describe("frontmatter", () => {
  test.each([
    ["---\na: 1\nb: [x]\n---\nbody\n", { a: 1, b: ["x"] }, "body"],
    ["no front", {}, "no front"],
    ["---\nbroken", {}, "---\nbroken"],
    ["---\r\na: 1\r\n---\r\nb", { a: 1 }, "b"],
    ["---\n---\nx", {}, "x"],
    ["---\na: 1\n---body\n", { a: 1 }, "body"],
    ["---\na: |\n  ---\n  z\n---\nb", { a: "---\nz\n" }, "b"],
  ])("%j", async (content, frontmatter, body) => {
    const { parseFrontmatter, stripFrontmatter } = await createFrontmatter();
    expect(parseFrontmatter(content)).toEqual({ frontmatter, body });
    expect(stripFrontmatter(content)).toBe(body);
  });

  test("a faulty header throws", async () => {
    const { parseFrontmatter } = await createFrontmatter();
    expect(() => parseFrontmatter("---\n: :a\n  - x: [\n---\nx")).toThrow();
  });
});

test("a reply's cost is written into its usage", () => {
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 };
  const usage = {
    input: 1_000_000,
    output: 2_000_000,
    cacheRead: 0,
    cacheWrite: 5,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  expect(calculateCost({ cost }, usage)).toBe(usage.cost);
  expect(usage.cost).toEqual({ input: 3, output: 30, cacheRead: 0, cacheWrite: 0, total: 33 });
});

test("a bus of its own tells of failing listeners and can be cleared", async () => {
  const failed: unknown[] = [];
  const seen: unknown[] = [];
  const bus = createEventBus((channel, thrown) => failed.push([channel, thrown]));
  bus.on("a", () => {
    throw 1;
  });
  bus.on("a", () => Promise.reject(2));
  bus.on("a", (data) => seen.push(data));
  bus.emit("a", "x");
  bus.clear();
  bus.emit("a", "y");
  await Promise.resolve().then(() => {});
  expect(seen).toEqual(["x"]);
  expect(failed).toEqual([
    ["a", 1],
    ["a", 2],
  ]);
});
