import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloneAnswer, cloneShell, isPlain } from "../../src/lens/clone.ts";
import { equal, reconcile } from "../../src/lens/equal.ts";
import { RUNS } from "./seed.ts";

const json = fc.jsonValue({ maxDepth: 4 });
/** Two values of which the second is the first with something changed. */
const edited = json
  .chain((value) => fc.tuple(fc.constant(value), fc.array(fc.tuple(fc.nat(), json), { maxLength: 3 })))
  .map(([value, edits]) => {
    const copy: unknown = structuredClone(value);
    for (const [at, to] of edits) {
      const places = placesOf(copy);
      const place = places[at % Math.max(places.length, 1)];
      if (place !== undefined) place(to);
    }
    return [value, copy] as const;
  });

function placesOf(value: unknown): ((to: unknown) => void)[] {
  if (typeof value !== "object" || value === null) return [];
  const own = value as Record<string, unknown>;
  const places = Object.keys(own).flatMap((key) => [(to: unknown) => void (own[key] = to), ...placesOf(own[key])]);
  if (Array.isArray(value))
    places.push(
      (to) => value.splice(0, 1, to, to),
      () => value.splice(0, 1),
    );
  return places;
}

function objectsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsOf)];
}

describe("a reconciled copy of a value that a handler could edit", () => {
  test("is equal to it, and is the previous value if nothing has changed", () => {
    fc.assert(
      fc.property(edited, ([previous, next]) => {
        const settled = reconcile(next, previous);
        expect(equal(settled, next)).toBe(true);
        if (equal(next, previous)) expect(settled).toBe(previous);
        expect(reconcile(structuredClone(previous), previous)).toBe(previous);
      }),
      RUNS,
    );
  });

  test("shares no list and no object with it", () => {
    fc.assert(
      fc.property(edited, ([previous, next]) => {
        const mine = new Set(objectsOf(next));
        for (const part of objectsOf(reconcile(next, previous))) expect(mine.has(part)).toBe(false);
      }),
      RUNS,
    );
  });

  test("keeps every remaining item of a list when one is removed or inserted", () => {
    const items = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 8 }).map((ids) => ids.map((id) => ({ id })));
    fc.assert(
      fc.property(items, fc.nat(), fc.boolean(), (previous, at, more) => {
        const next: unknown[] = structuredClone(previous);
        if (more) next.splice(at % (next.length + 1), 0, { id: "new" });
        else next.splice(at % next.length, 1);
        const settled = reconcile<unknown[]>(next, previous);
        expect(settled.filter((item) => previous.includes(item as never))).toHaveLength(
          previous.length - (more ? 0 : 1),
        );
      }),
      RUNS,
    );
  });

  test("changes neither value", () => {
    fc.assert(
      fc.property(edited, ([previous, next]) => {
        const before = JSON.stringify([previous, next]);
        reconcile(next, previous);
        expect(JSON.stringify([previous, next])).toBe(before);
      }),
      RUNS,
    );
  });
});

describe("cyclic and endless values", () => {
  const cycle: any = { list: [] };
  cycle.list.push(cycle);
  let deep: any = {};
  for (let i = 0; i < 50_000; i++) deep = { deep };

  test("are refused by copying, with a reason", () => {
    for (const value of [cycle, deep, [cycle]]) expect(() => cloneShell(value)).toThrow(/contains itself/);
    expect(() => reconcile(cycle, {})).toThrow(/contains itself/);
  });

  test("are equal only to themselves", () => {
    const other: any = { list: [] };
    other.list.push(other);
    expect([equal(cycle, cycle), equal(cycle, other), equal(deep, { deep: 1 })]).toEqual([true, false, false]);
  });
});

describe("properties on Object.prototype", () => {
  test("are not fields of an object", () => {
    (Object.prototype as any).polluted = { deny: false };
    try {
      expect(Object.hasOwn(cloneShell({ a: 1 }), "polluted")).toBe(false);
      expect(Object.hasOwn(reconcile({ a: 1, b: 2 }, { a: 1 } as never), "polluted")).toBe(false);
      expect(equal({ a: 1 }, { a: 1 })).toBe(true);
    } finally {
      delete (Object.prototype as any).polluted;
    }
  });

  test.each([
    [{ constructor: Object }, { x: 1 }],
    [JSON.parse('{"__proto__": null}'), { x: null }],
    [{ toString: undefined }, { x: undefined }],
    [{ a: undefined }, { b: undefined }],
  ])("does not make %j equal to %j", (a, b) => {
    expect([equal(a, b), equal(b, a)]).toEqual([false, false]);
  });
});

test("an object that inherits its fields is not a record: it is shared, not copied without them", () => {
  const derived = Object.create({ block: true }) as { block: boolean };
  expect(cloneShell({ derived }).derived).toBe(derived);
  expect((cloneAnswer({ derived }) as { derived: object }).derived).toBe(derived);
  expect(reconcile({ derived }, { derived: {} as never }).derived).toBe(derived);
  expect(isPlain(derived)).toBe(false);
});

test("comparing leaves nothing behind when a getter throws in the middle of it", () => {
  const hostile = Object.defineProperty({ a: 1 }, "b", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  expect(() => equal({ x: { a: 1, b: 2 } }, { x: hostile })).toThrow("no");
  expect(equal({ x: { a: 1, b: [1, { c: 2 }] } }, { x: { b: [1, { c: 2 }], a: 1 } })).toBe(true);
});

test("a getter that itself compares does no harm", () => {
  const inner = {
    get a() {
      return equal({ p: 1, q: { r: 2 } }, { q: { r: 2 }, p: 1 });
    },
    b: 2,
  };
  expect(equal({ first: 1, inner, last: 3 }, { first: 1, inner: { a: true, b: 2 }, last: 3 })).toBe(true);
});
