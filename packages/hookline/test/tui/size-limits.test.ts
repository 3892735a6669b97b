import { describe, expect, test } from "vitest";
import { truncateHead, truncateLine } from "../../../ground/src/decode/truncate.ts";
import { oneLine, shown, shownWhole, styledLine } from "../../src/tui/shown.ts";

describe("a text on the screen is shown whole up to its limit, and what is left out is said", () => {
  test.each([
    ["a message", shown],
    ["a call", shownWhole],
  ])("%s: 65,536 characters", (_, show) => {
    expect(show("x".repeat(65_536))).toBe("x".repeat(65_536));
    expect(show("x".repeat(65_537))).toBe(
      `${"x".repeat(65_536)}\n… 1 characters more, not shown; the session has all of it`,
    );
  });

  test.each([
    ["a name or title", oneLine, 4_096],
    ["a status", styledLine, 16_384],
  ] as const)("%s: %#", (_, show, most) => {
    expect(show("x".repeat(most))).toBe("x".repeat(most));
    expect(show("x".repeat(most + 1))).toBe(`${"x".repeat(most)}…`);
  });
});

describe("a result of a tool is given whole up to its limit", () => {
  test("2,000 lines", () => {
    const lines = (count: number): string => "x\n".repeat(count).slice(0, -1);
    expect(truncateHead(lines(2_000))).toMatchObject({ truncated: false, content: lines(2_000) });
    expect(truncateHead(lines(2_001))).toMatchObject({
      truncatedBy: "lines",
      content: lines(2_000),
      totalLines: 2_001,
    });
  });

  test("50 KiB, cut at a line", () => {
    const line = `${"x".repeat(1_023)}\n`;
    expect(truncateHead(line.repeat(50).slice(0, -1))).toMatchObject({ truncated: false });
    expect(truncateHead(`${line.repeat(50)}more`)).toMatchObject({ truncatedBy: "bytes", outputLines: 50 });
  });

  test("500 characters of a line that grep shows", () => {
    expect(truncateLine("x".repeat(500))).toEqual({ text: "x".repeat(500), wasTruncated: false });
    expect(truncateLine("x".repeat(501))).toEqual({ text: `${"x".repeat(500)}... [truncated]`, wasTruncated: true });
  });
});
