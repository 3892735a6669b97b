import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { truncateTail } from "../../../ground/src/decode/truncate.ts";
import { CommandOutput } from "../../src/tool/output.ts";
import { makeFolder, numbered } from "./folder.ts";

/** Collects chunks and ends. */
function collect(folder: string, ...chunks: (string | Buffer)[]): CommandOutput {
  const output = new CommandOutput(folder);
  for (const chunk of chunks) output.append(Buffer.from(chunk));
  output.finish();
  return output;
}

test.each([
  ["nothing", ""],
  ["exactly as many lines as allowed", `${numbered(2000)}\n`],
  ["exactly as many bytes as allowed", "é".repeat(25_600)],
])("%s is shown whole and not saved", (_name, text) => {
  const folder = makeFolder();
  const { content, truncation, fullOutputPath } = collect(folder, text).snapshot();
  expect({ content, truncated: truncation.truncated, fullOutputPath }).toEqual({
    content: text,
    truncated: false,
    fullOutputPath: undefined,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["lines", `${numbered(2001)}\n`, { totalLines: 2001, outputLines: 2000, truncatedBy: "lines" }],
  [
    "bytes",
    `${"x".repeat(40_000)}\n${"é".repeat(20_000)}\n`,
    { totalLines: 2, outputLines: 1, outputBytes: 40_000, truncatedBy: "bytes" },
  ],
])("over the limit of %s the end is shown and everything is saved", (_name, text, expected) => {
  const { truncation, fullOutputPath } = collect(makeFolder(), text.slice(0, 1000), text.slice(1000)).snapshot();
  expect(truncation).toMatchObject({ truncated: true, totalBytes: Buffer.byteLength(text), ...expected });
  expect(readFileSync(fullOutputPath ?? "", "utf8")).toBe(text);
});

test("the file is for its owner only", () => {
  const { fullOutputPath } = collect(makeFolder(), numbered(2001)).snapshot();
  expect(statSync(fullOutputPath ?? "").mode & 0o777).toBe(0o600);
});

test("long output is counted whole although only its end is kept", () => {
  const line = `${"0123456789".repeat(10)}\n`;
  const chunks = Array.from({ length: 300 }, () => line.repeat(40));
  const { content, truncation, fullOutputPath } = collect(makeFolder(), ...chunks).snapshot();
  expect(truncation).toMatchObject({
    totalLines: 12_000,
    totalBytes: 12_000 * 101,
    outputLines: 506,
    truncatedBy: "bytes",
  });
  expect(content).toBe(line.repeat(506).trimEnd());
  expect(statSync(fullOutputPath ?? "").size).toBe(12_000 * 101);
});

test("a line that is longer than everything kept shows its end, and its whole size is known", () => {
  for (const end of ["", "\n"]) {
    const output = collect(makeFolder(), ...Array.from({ length: 30 }, () => "é".repeat(10_000)), end);
    const { content, truncation } = output.snapshot();
    expect(truncation).toMatchObject({ lastLinePartial: true, outputBytes: 51_200, totalLines: 1 });
    expect(content).toBe("é".repeat(25_600));
    expect(output.lastLineBytes).toBe(600_000);
  }
});

test("a character that is cut between two chunks is one character", () => {
  const { content } = collect(makeFolder(), Buffer.from([0xe2, 0x82]), Buffer.from([0xac])).snapshot();
  expect(content).toBe("€");
});

test("invalid bytes are replaced in the text and kept in the file", () => {
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(numbered(2001))]);
  const { truncation, fullOutputPath } = collect(makeFolder(), bytes).snapshot();
  expect(truncation.totalBytes).toBe(bytes.length + 2);
  expect(readFileSync(fullOutputPath ?? "")).toEqual(bytes);
});

test("a folder that cannot take a file is reported, and the output is kept", () => {
  const folder = join(makeFolder({ file: "" }), "file/gone");
  const { content, fullOutputPath, saveError } = collect(folder, numbered(2001)).snapshot();
  expect(content).toBe(numbered(2001).slice(2));
  expect(fullOutputPath).toBeUndefined();
  expect(saveError).toContain("ENOTDIR");
  expect(existsSync(folder)).toBe(false);
});

test.skipIf(process.platform === "win32")("a folder without permission is reported", () => {
  const folder = makeFolder();
  chmodSync(folder, 0o500);
  // Root may write everywhere, so for once it acts as somebody who may not.
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    expect(collect(folder, numbered(2001)).snapshot().saveError).toContain("EACCES");
  } finally {
    if (root) process.seteuid?.(0);
  }
});

test("however it arrives, the same is kept and counted as of the whole text", () => {
  const folder = makeFolder();
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("a", "é", "\n", "\r\n", "👍", "\uFEFF").map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom([0xff], [0xe2, 0x82], [0xf0, 0x9f], [0xc3]).map((bytes) => Buffer.from(bytes)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("x", "é", "ab\n", `${"y".repeat(99)}\n`, "\n"), fc.integer({ max: 40_000, min: 1 }))
        .map(([text, count]) => Buffer.from(text.repeat(count))),
    },
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      (pieces, cuts) => {
        const bytes = Buffer.concat(pieces);
        const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const output = collect(folder, ...chunks);
        const text = new TextDecoder().decode(bytes);
        const whole = truncateTail(text);
        const { content, truncation } = output.snapshot();
        expect(content === whole.content).toBe(true);
        const { totalLines, totalBytes, truncated, outputLines, outputBytes, lastLinePartial } = truncation;
        expect({ totalLines, totalBytes, truncated, outputLines, outputBytes, lastLinePartial }).toEqual({
          totalLines: whole.totalLines,
          totalBytes: whole.totalBytes,
          truncated: whole.truncated,
          outputLines: whole.outputLines,
          outputBytes: whole.outputBytes,
          lastLinePartial: whole.lastLinePartial,
        });
        expect(output.lastLineBytes).toBe(Buffer.byteLength(text.replace(/\n$/, "").split("\n").at(-1) ?? ""));
      },
    ),
    {
      numRuns: 300,
      examples: [[["\uFEFF", "\uFEFF", "é", "\uFEFF"].map((text) => Buffer.from(text)), [0.28]]],
    },
  );
});
