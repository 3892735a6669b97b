import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import zlib from "node:zlib";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { compressFile, isCompressed, plainBytes } from "../../src/record/compressed.ts";
import { readRecording } from "../../src/record/read.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-compressed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compressed(content: Uint8Array): string {
  const [plain, path] = [join(folder, "plain"), join(folder, "compressed")];
  writeFileSync(plain, content);
  const [from, to] = [openSync(plain, "r"), openSync(path, "w")];
  compressFile(from, to);
  closeSync(from);
  closeSync(to);
  return path;
}

function opened<T>(path: string, use: (fd: number) => T): T {
  const fd = openSync(path, "r");
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Contents of no frame, of one, and of several with a last one of any length. */
const lengths = fc.integer({ min: 0, max: 900_000 });
const contentOf = (length: number, pattern: Uint8Array): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (pattern[i % pattern.length] as number) ^ (i >> 13));

test("each part of a compressed file is what was there, and any zstd reads the whole", () => {
  fc.assert(
    fc.property(
      lengths,
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 400_000 })), {
        maxLength: 12,
      }),
      (length, pattern, parts) => {
        const content = contentOf(length, pattern);
        const path = compressed(content);
        opened(path, (fd) => {
          if (content.length === 0) return;
          const bytes = plainBytes(fd);
          expect(bytes.size()).toBe(content.length);
          for (const [from, most] of parts) {
            const into = new Uint8Array(most);
            let held = 0;
            for (let count = -1; count !== 0 && held < most; held += count)
              count = bytes.read(into.subarray(held), from + held);
            expect(Buffer.compare(into.subarray(0, held), content.subarray(from, from + most))).toBe(0);
          }
        });
        expect(Buffer.compare(zlib.zstdDecompressSync(readFileSync(path)), content)).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

test("a file that only looks compressed is read as it is", () => {
  const path = compressed(Buffer.alloc(600_000, "line\n"));
  expect(opened(path, isCompressed)).toBe(true);
  const whole = readFileSync(path);
  for (const content of [
    whole.subarray(0, -1),
    whole.subarray(4),
    Buffer.from(""),
    Buffer.from("{}\n"),
    Buffer.concat([whole, whole.subarray(-4)]),
  ]) {
    writeFileSync(path, content);
    const into = new Uint8Array(content.length + 1);
    opened(path, (fd) => {
      expect(isCompressed(fd)).toBe(false);
      expect(plainBytes(fd).read(into, 0)).toBe(content.length);
    });
  }
  truncateSync(path, 40);
  const reader = readRecording(path);
  expect(reader.header).toBeUndefined();
  reader.close();
});
