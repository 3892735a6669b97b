import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloneShell } from "../../src/lens/clone.ts";
import { equal } from "../../src/lens/equal.ts";

const RUNS = { numRuns: 1000 };
const json = fc.jsonValue({ maxDepth: 5 });

describe("a shell clone", () => {
  test("equals its original and shares no list and no object with it", () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = cloneShell(value);
        expect(equal(copy, value)).toBe(true);
        const walk = (a: any, b: any): void => {
          if (typeof a !== "object" || a === null) return;
          expect(a).not.toBe(b);
          for (const key of Object.keys(a)) walk(a[key], b[key]);
        };
        walk(copy, value);
      }),
      RUNS,
    );
  });

  test("shares what is not plain data", () => {
    const { signal } = new AbortController();
    const run = (): void => {};
    const copy = cloneShell({ signal, run, when: new Date(0) });
    expect(copy.signal).toBe(signal);
    expect(copy.run).toBe(run);
    expect(copy.when).toBeInstanceOf(Date);
  });

  test("keeps a key named __proto__ as a key", () => {
    const copy = cloneShell(JSON.parse('{"__proto__": {"x": 1}}'));
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect(copy.x).toBeUndefined();
  });
});

describe("equality", () => {
  test("agrees with the JSON text for JSON values with the same order of keys", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        if (JSON.stringify(a) === JSON.stringify(b) && !JSON.stringify(a).includes("-0"))
          expect(equal(a, JSON.parse(JSON.stringify(b)))).toBe(equal(a, JSON.parse(JSON.stringify(a))));
        if (equal(a, b)) expect(JSON.stringify(sorted(a))).toBe(JSON.stringify(sorted(b)));
      }),
      RUNS,
    );
  });

  test.each([
    [{ a: undefined }, {}, false],
    [[1], { 0: 1 }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [Number.NaN, Number.NaN, true],
    [{ a: { b: [1, { c: "x" }] } }, { a: { b: [1, { c: "x" }] } }, true],
    [new Date(0), new Date(0), false],
  ])("of %j and %j is %s", (a, b, same) => {
    expect(equal(a, b)).toBe(same);
  });
});

function sorted(value: any): any {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
