import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatSize, lastBytes, truncateHead, truncateLine, truncateTail } from "../../src/decode/truncate.ts";

/** Lines that are counted from one. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1}`).join("\n");
}

test.each([
  [0, "0B"],
  [1023, "1023B"],
  [1024, "1.0KB"],
  [51200, "50.0KB"],
  [1024 * 1024, "1.0MB"],
  [1.5 * 1024 * 1024, "1.5MB"],
])("%i bytes are shown as %s", (bytes, shown) => {
  expect(formatSize(bytes)).toBe(shown);
});

describe.each([
  ["head", truncateHead],
  ["tail", truncateTail],
])("%s", (_name, truncate) => {
  test.each([
    ["exactly as many lines as allowed", numbered(2000)],
    ["as many lines and a line break at the end", `${numbered(2000)}\n`],
    ["exactly as many bytes as allowed", "é".repeat(25_600)],
    ["nothing", ""],
  ])("%s is kept as it is", (_case, content) => {
    expect(truncate(content)).toMatchObject({ content, truncated: false, truncatedBy: null });
  });

  test("the result names both limits and both sizes", () => {
    expect(truncate("a\nb\nc", { maxLines: 2, maxBytes: 100 })).toMatchObject({
      truncated: true,
      truncatedBy: "lines",
      totalLines: 3,
      totalBytes: 5,
      outputLines: 2,
      outputBytes: 3,
      maxLines: 2,
      maxBytes: 100,
    });
  });
});

test("the head keeps the first lines, the tail the last", () => {
  expect(truncateHead(numbered(2001)).content).toBe(numbered(2000));
  expect(truncateTail(numbered(2001)).content).toBe(numbered(2001).slice(2));
  expect(truncateHead("aaa\nbbb\nccc", { maxBytes: 7 })).toMatchObject({ content: "aaa\nbbb", truncatedBy: "bytes" });
  expect(truncateTail("aaa\nbbb\nccc", { maxBytes: 6 })).toMatchObject({ content: "ccc", truncatedBy: "bytes" });
});

test("a first line over the limit leaves nothing of the head, and says so", () => {
  expect(truncateHead("é".repeat(4), { maxBytes: 7 })).toMatchObject({
    content: "",
    outputLines: 0,
    firstLineExceedsLimit: true,
  });
});

test("a last line over the limit leaves its end, in whole characters", () => {
  expect(truncateTail("x\naéé", { maxBytes: 3 })).toMatchObject({
    content: "é",
    outputBytes: 2,
    outputLines: 1,
    lastLinePartial: true,
  });
});

test.each([
  ["short", 10, "short", false],
  ["exact", 5, "exact", false],
  ["exactly", 5, "exact... [truncated]", true],
  ["ab👍", 3, "ab... [truncated]", true],
])("a line %j is cut to %i characters", (line, max, text, wasTruncated) => {
  expect(truncateLine(line, max)).toEqual({ text, wasTruncated });
});

const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "👍", "\n"), maxLength: 60 });

test("no limit is passed, no character is split, and what is kept are whole lines of the text", () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 40 }),
      (content, maxLines, maxBytes) => {
        for (const truncate of [truncateHead, truncateTail]) {
          const cut = truncate(content, { maxLines, maxBytes });
          if (cut.truncated) {
            expect(Buffer.byteLength(cut.content)).toBeLessThanOrEqual(maxBytes);
            expect(cut.outputLines).toBeLessThanOrEqual(maxLines);
          }
          expect(cut.content).not.toContain("\uFFFD");
          expect(cut.outputBytes).toBe(Buffer.byteLength(cut.content));
          expect(content).toContain(cut.content);
          const lines = content.split("\n");
          if (!cut.lastLinePartial && cut.outputLines > 0)
            for (const line of cut.content.split("\n")) expect(lines).toContain(line);
        }
      },
    ),
  );
});

test("the last bytes of a text are its longest end that fits", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (content, maxBytes) => {
      const end = lastBytes(content, maxBytes);
      expect(content.endsWith(end)).toBe(true);
      expect(Buffer.byteLength(end)).toBeLessThanOrEqual(maxBytes);
      const before = Array.from(content.slice(0, content.length - end.length)).at(-1);
      if (before !== undefined) expect(Buffer.byteLength(before + end)).toBeGreaterThan(maxBytes);
    }),
  );
});
