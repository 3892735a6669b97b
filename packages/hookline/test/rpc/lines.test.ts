import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "../../src/mode/rpc/rpc.ts";

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  async function* input() {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const line of linesOf(input())) lines.push(line);
  return lines;
}

test("lines end at LF and nothing else; CR before it is dropped", async () => {
  expect(await read([Buffer.from("a\r\nb\u2028c\u0085d\n\ne")])).toEqual(["a", "b\u2028c\u0085d", "", "e"]);
});

test("however the bytes arrive, the lines are the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\uFEFF]/g, ""))),
      fc.array(fc.nat(7), { minLength: 1 }),
      async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks: Uint8Array[] = [];
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const size = (cuts[index % cuts.length] ?? 0) + 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(await read(chunks)).toEqual(lines);
      },
    ),
    { numRuns: 300 },
  );
});
