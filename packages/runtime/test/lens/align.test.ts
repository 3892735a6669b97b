import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align } from "../../src/lens/align.ts";

const aligned = (a: readonly string[], b: readonly string[]): number[] => [
  ...align(
    a,
    b,
    (x, y) => x === y,
    (item) => item,
  ),
];

/** The length of the longest common subsequence, the slow way. */
function longest(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      rows[i]![j] = a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
  return rows[0]![0]!;
}

const items = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

describe("align", () => {
  it("finds a common subsequence of the greatest length", () => {
    fc.assert(
      fc.property(items, items, (a, b) => {
        const found = aligned(a, b);
        const pairs = found.flatMap((i, j) => (i === -1 ? [] : [[i, j] as const]));
        for (const [i, j] of pairs) expect(a[i]).toBe(b[j]);
        for (let n = 1; n < pairs.length; n++) expect(pairs[n]![0]).toBeGreaterThan(pairs[n - 1]![0]);
        expect(pairs.length).toBe(longest(a, b));
      }),
    );
  });

  it("compares each item once where only one in ten thousand has changed", () => {
    const a = Array.from({ length: 10_000 }, (_, n) => `m${n}`);
    const b = a.with(5000, "changed");
    let compared = 0;
    let keyed = 0;
    const found = align(
      a,
      b,
      (x, y) => {
        compared += 1;
        return x === y;
      },
      (item) => {
        keyed += 1;
        return item;
      },
    );
    expect(found[4999]).toBe(4999);
    expect(found[5000]).toBe(-1);
    expect(found[5001]).toBe(5001);
    expect(compared).toBeLessThanOrEqual(a.length + 2);
    expect(keyed).toBeLessThanOrEqual(2);
  });

  it("needs no keys for a few edits far apart", () => {
    const a = Array.from({ length: 10_000 }, (_, n) => `m${n}`);
    const b = a.toSpliced(9000, 1).toSpliced(5000, 1, "x", "y").toSpliced(10, 2);
    let keyed = 0;
    const found = align(
      a,
      b,
      (x, y) => x === y,
      (item) => {
        keyed += 1;
        return item;
      },
    );
    expect(keyed).toBe(0);
    expect([...found].filter((i) => i === -1)).toHaveLength(2);
    expect(found.every((i, j) => i === -1 || a[i] === b[j])).toBe(true);
  });

  it("finds the longest common subsequence with many edits in short lists as well", () => {
    const long = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 90, maxLength: 140 });
    fc.assert(
      fc.property(long, long, (a, b) => aligned(a, b).filter((i) => i !== -1).length === longest(a, b)),
      { numRuns: 50 },
    );
  });

  it("aligns long lists with edits at both ends by their unique items", () => {
    const a = Array.from({ length: 6000 }, (_, n) => `m${n}`);
    const b = ["first", ...a.filter((_, n) => n % 3 !== 0), "last"];
    const found = aligned(a, b);
    expect(found.filter((i) => i !== -1)).toHaveLength(4000);
    expect(found[1]).toBe(1);
    expect(found.at(-2)).toBe(5999);
  });

  it("ends on long lists that have nothing unique in common", () => {
    const a = Array.from({ length: 5000 }, (_, n) => `x${n % 2}`);
    const b = Array.from({ length: 5000 }, (_, n) => `${n % 2 === 0 ? "y" : "x"}${n % 3}`);
    expect(aligned(a, b)).toHaveLength(5000);
  });
});
