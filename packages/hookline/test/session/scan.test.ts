import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eachBlock, eachBlockBackward, eachLine, type LineVisitor } from "../../src/session/scan.ts";
import { scratch } from "./scratch.ts";

interface Seen {
  readonly text: string;
  readonly offset: number;
  readonly terminated: boolean;
}

/** The slow way to find the lines of a file. */
function linesIn(bytes: Buffer): Seen[] {
  const seen: Seen[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const lf = bytes.indexOf(10, offset);
    const end = lf === -1 ? bytes.length : lf;
    seen.push({ text: bytes.toString("latin1", offset, end), offset, terminated: lf !== -1 });
    offset = end + 1;
  }
  return seen;
}

function collect(read: (visit: LineVisitor) => void, limit = Number.POSITIVE_INFINITY): Seen[] {
  const seen: Seen[] = [];
  read((bytes, start, end, offset, terminated) => {
    seen.push({ text: bytes.toString("latin1", start, end), offset, terminated });
    return seen.length < limit ? undefined : false;
  });
  return seen;
}

/** The lines of the blocks, last to first; `ended` is where in the file the last of them begins. */
function collectBackward(
  fd: number,
  range: { from: number; to: number; chunk: number },
  limit = Number.POSITIVE_INFINITY,
) {
  const texts: string[] = [];
  const ended = eachBlockBackward(
    fd,
    range.from,
    range.to,
    (text) => {
      for (let end = text.length; end > 0; ) {
        const start = text.lastIndexOf("\n", Math.max(0, end - 2)) + 1;
        const begin = end === 1 ? 0 : start;
        texts.push(text.slice(begin, end));
        if (texts.length === limit) return begin;
        end = begin;
      }
      return undefined;
    },
    range.chunk,
  );
  return { texts, ended };
}

const content = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constant(10) }, { weight: 8, arbitrary: fc.integer({ min: 97, max: 99 }) }),
  {
    maxLength: 120,
    size: "max",
  },
);

test("lines are the same whatever the size of a chunk", () => {
  const path = join(scratch(), "lines");
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }), (values, chunk, limit) => {
      const bytes = Buffer.from(values);
      writeFileSync(path, bytes);
      const fd = openSync(path, "r");
      try {
        const expected = linesIn(bytes);
        const forward = (visit: LineVisitor) => eachLine(fd, 0, bytes.length, visit, chunk);
        expect(collect(forward)).toEqual(expected);
        expect(collect(forward, limit)).toEqual(expected.slice(0, limit));

        const from = expected[limit % Math.max(1, expected.length)]?.offset ?? 0;
        const rest = expected.filter((line) => line.offset >= from);
        expect(collect((visit) => eachLine(fd, from, bytes.length, visit, chunk))).toEqual(rest);
      } finally {
        closeSync(fd);
      }
    }),
    { numRuns: 500 },
  );
});

test("blocks hold whole lines of a file larger than a block, characters unbroken", () => {
  const path = join(scratch(), "blocks");
  const lines = Array.from({ length: 30_000 }, (_, index) => `${index} ${"ü€🥊".repeat(index % 30)}`);
  writeFileSync(path, `${lines.join("\n")}\ntail`);
  const fd = openSync(path, "r");
  const blocks: { text: string; terminated: boolean }[] = [];
  const offsets: number[] = [];
  eachBlock(fd, 0, Buffer.byteLength(lines.join("\n")) + 5, (text, terminated, offset) => {
    offsets.push(offset);
    blocks.push({ text, terminated });
  });
  closeSync(fd);
  expect(blocks.length).toBeGreaterThan(2);
  const sizes = blocks.map(({ text }) => Buffer.byteLength(text));
  expect(offsets).toEqual(sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0)));
  expect(blocks.at(-1)).toEqual({ text: "tail", terminated: false });
  expect(blocks.slice(0, -1).every(({ text, terminated }) => terminated && text.endsWith("\n"))).toBe(true);
  expect(blocks.map(({ text }) => text).join("")).toBe(`${lines.join("\n")}\ntail`);
});

// Line breaks, letters, a character of three bytes and bytes that are no character.
const odd = fc
  .array(fc.constantFrom([10], [10], [97], [98, 99], [0xe2, 0x82, 0xac], [0xff], [0xe2, 0x82], [0]), {
    maxLength: 90,
    size: "max",
  })
  .map((parts) => parts.flat());

test("blocks that are read backward hold all lines, and end where their reader does", () => {
  const path = join(scratch(), "backward");
  fc.assert(
    fc.property(odd, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }), (values, chunk, limit) => {
      const bytes = Buffer.from(values);
      writeFileSync(path, bytes);
      const fd = openSync(path, "r");
      try {
        const lines = linesIn(bytes);
        const from = lines[limit % Math.max(1, lines.length)]?.offset ?? 0;
        for (const [begin, most] of [
          [0, Number.POSITIVE_INFINITY],
          [0, limit],
          [from, limit],
        ] as const) {
          const wanted = lines
            .filter((line) => line.offset >= begin)
            .toReversed()
            .slice(0, most);
          const texts = wanted.map(({ text, terminated }) =>
            Buffer.from(`${text}${terminated ? "\n" : ""}`, "latin1").toString(),
          );
          const ended = texts.length === most ? (wanted.at(-1)?.offset ?? begin) : begin;
          expect(collectBackward(fd, { from: begin, to: bytes.length, chunk }, most)).toEqual({ texts, ended });
        }
      } finally {
        closeSync(fd);
      }
    }),
    { numRuns: 1000 },
  );
});
