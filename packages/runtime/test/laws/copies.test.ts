import fc from "fast-check";
import { expect, test } from "vitest";
import { cloneAnswer, cloneShell } from "../../src/lens/clone.ts";
import { reconcile } from "../../src/lens/equal.ts";
import { RUNS } from "./seed.ts";

class Point {
  x = 1;
}
const shared = [
  new Date(0),
  new Map([[1, 2]]),
  new Point(),
  () => {},
  Symbol("s"),
  new Uint8Array(2),
  Object.prototype,
];
const KEYS = ["a", "b", "c", "role", "__proto__", "toString", "constructor", "0"];
const name = fc.constantFrom(...KEYS);
const leaf = fc.constantFrom<unknown>(undefined, null, true, 0, -0, Number.NaN, "", "x", ...shared, toString);

/** Values of every kind that a hook can lay its hands on, seldom the odd ones. */
const { value } = fc.letrec<{ value: unknown; list: unknown[]; record: object }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie("record"), tie("list")),
  list: fc.tuple(fc.array(tie("value"), { maxLength: 4 }), fc.nat(12)).map(([items, odd]) => {
    if (odd === 0 && items.length > 0) delete items[0];
    if (odd === 1) Object.assign(items, { extra: {} });
    if (odd === 2 && items.length > 0) items.push(items[0]);
    return items;
  }),
  record: fc
    .tuple(fc.uniqueArray(fc.tuple(name, tie("value")), { selector: ([key]) => key, maxLength: 4 }), fc.nat(30))
    .map(([fields, odd]) => {
      const made = Object.create(protoOf(odd)) as object;
      for (const [i, [key, item]] of fields.entries()) {
        if (odd === 4 && i === 0) Object.defineProperty(made, key, { get: () => item, enumerable: true });
        else
          Object.defineProperty(made, key, { value: item, enumerable: odd !== 5, writable: true, configurable: true });
      }
      if (odd === 6) Object.assign(made, { [Symbol.for("odd")]: {} });
      return odd === 7 ? Object.freeze(made) : made;
    }),
}));

function protoOf(odd: number): object | null {
  if (odd === 0) return null;
  if (odd === 1) return { a: { inherited: true } };
  if (odd === 2) return {};
  return odd === 3 ? Point.prototype : Object.prototype;
}

function partsOf(of: unknown, found: any[] = []): any[] {
  if (typeof of !== "object" || of === null || found.includes(of) || shared.includes(of)) return found;
  found.push(of);
  // A value that is not a record is shared, with everything in it.
  if (!Array.isArray(of) && !isRecord(of)) return found;
  for (const key of Object.keys(of)) partsOf((of as any)[key], found);
  return found;
}

/** Something done to a part of a copy by somebody who has also got hold of the original. */
const edit = fc.record({ at: fc.nat(), from: fc.nat(), what: fc.nat(8), key: name, to: value });
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

function apply(copy: unknown, original: unknown, { at, from, what, key, to }: Edit): void {
  const theirs = partsOf(original);
  const parts = partsOf(copy).filter((one) => !theirs.includes(one));
  const part = parts[at % Math.max(parts.length, 1)];
  if (part === undefined) return;
  const others = [...parts, ...theirs];
  const own = Object.keys(part);
  const mine = own[from % Math.max(own.length, 1)] ?? key;
  const set = (name: string, item: unknown) =>
    (!Array.isArray(part) || /^\d$/.test(name)) &&
    Reflect.defineProperty(part, name, { value: item, enumerable: true, writable: true, configurable: true });
  if (what === 0) set(key, to);
  else if (what === 1) Reflect.deleteProperty(part, mine);
  else if (what === 2) set(mine, naiveCopy(part[mine]));
  else if (what === 3) set(mine, part[mine]) && Reflect.deleteProperty(part, mine) && set(mine, to);
  else if (what === 4) set(mine, others[from % others.length]);
  else if (what === 5 && !Array.isArray(part))
    Reflect.setPrototypeOf(part, [null, { a: 1 }, Point.prototype][from % 3] ?? null);
  else if (what === 6 && Array.isArray(part)) Reflect.apply([].splice, part, [from % (part.length + 1), 1]);
  else if (what === 7) {
    const was = part[mine];
    if (Reflect.deleteProperty(part, mine) && own.includes(mine) && !Array.isArray(part)) set(mine, was);
  } else if (what === 8) set(key, (Object.prototype as any)[key]);
}

function naiveCopy(of: unknown): unknown {
  if (typeof of !== "object" || of === null || shared.includes(of)) return of;
  return Array.isArray(of) ? [...of] : { ...of };
}

/** Equality as it is documented, without any haste. */
function naive(a: any, b: any): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return a.length === b.length && Array.from(a).every((item, i) => naive(item, b[i]));
  const [x, y] = [fieldsOf(a), fieldsOf(b)];
  if (x.size === 0 || y.size === 0) return x.size === y.size && isRecord(a) && isRecord(b);
  return x.size === y.size && [...x].every(([key, item]) => y.has(key) && naive(item, y.get(key)));
}

function fieldsOf(of: any): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const key in of) fields.set(key, of[key]);
  return fields;
}

function isRecord(of: object): boolean {
  return [null, Object.prototype].includes(Object.getPrototypeOf(of));
}

/** Changes to a copy by various holders. */
const held = (from: fc.Arbitrary<unknown>) =>
  fc.tuple(from, fc.array(edit, { maxLength: 4 })).map(([original, edits]) => {
    const copy = cloneShell(original);
    for (const one of edits) apply(copy, original, one);
    return { original, copy };
  });

/** Whether somebody put a part into itself. */
function endless(of: unknown): boolean {
  try {
    return cloneShell(of) === undefined && of !== undefined;
  } catch {
    return true;
  }
}

const RUN = { ...RUNS, numRuns: Math.max(RUNS.numRuns ?? 0, 3000) };

test("changes of a copy are detected like slow and simple equality does", () => {
  let [changed, unchanged] = [0, 0];
  fc.assert(
    fc.property(held(value), ({ original, copy }) => {
      fc.pre(!endless(copy));
      const same = naive(copy, original);
      expect(Object.is(reconcile(copy, original), original)).toBe(same);
      if (same) unchanged += 1;
      else changed += 1;
    }),
    RUN,
  );
  expect([changed > 300, unchanged > 300]).toEqual([true, true]);
});

test("an answer's copy is equal to it, and out of the hook's reach", () => {
  fc.assert(
    fc.property(held(fc.array(value, { maxLength: 6 })), fc.nat(6), ({ copy }, from) => {
      const said = (copy as unknown[]).slice(from % 3);
      fc.pre(!endless(said));
      for (const part of partsOf(cloneAnswer(said))) {
        if (!isRecord(part)) continue;
        expect(partsOf(said).includes(part) && !Array.isArray(part)).toBe(false);
      }
    }),
    RUN,
  );
});

test("a copy has its own lists and records, with the same fields and prototypes, and shares everything else", () => {
  const ownCopy = (copy: any, original: any): boolean => {
    if (typeof original !== "object" || original === null) return Object.is(copy, original);
    if (!Array.isArray(original) && !isRecord(original)) return copy === original;
    if (copy === original || Object.getPrototypeOf(copy) !== Object.getPrototypeOf(original)) return false;
    const keys = Object.keys(original).filter((key) => key !== "extra");
    return String(Object.keys(copy)) === String(keys) && keys.every((key) => ownCopy(copy[key], original[key]));
  };
  fc.assert(
    fc.property(value, (original) => {
      expect(ownCopy(cloneShell(original), original)).toBe(true);
    }),
    RUN,
  );
});
