import { bare, cloneShell, isPlain, MAX_DEPTH, setField } from "./clone.ts";

type Fields = Record<string, unknown>;

/**
 * Compares data by content: lists item by item, objects by their enumerable fields. A value without such fields that is
 * not a plain object (a date, map, signal or function) equals only itself, and so does one that is nested too deeply or
 * contains itself.
 */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || same(a, b, 0);
}

/**
 * Returns `next`, but with each part of `previous` that equals the part in its place. Everything else is copied like by
 * `cloneShell`, which shares class instances and throws for deep nesting. If nothing has changed, returns `previous`
 * itself.
 */
export function reconcile<T>(next: T, previous: T): T {
  return settle(next, previous, 0, COPIED) as T;
}

/**
 * Returns the same as `reconcile`, for a value that no other code holds: it is changed in place, and new parts are not
 * copied.
 */
export function adopt<T>(next: T, previous: T): T {
  return settle(next, previous, 0, TAKEN) as T;
}

/** Decides whether new parts of a value are copied into the result (`COPIED`) or used as they are (`TAKEN`). */
interface Taking {
  own(part: unknown): unknown;
  /** Returns the object to write a changed record's fields to: a copy, or the record itself. */
  record(changed: Fields): Fields;
}

const COPIED: Taking = {
  own: cloneShell,
  record: (changed) => (Object.getPrototypeOf(changed) === null ? bare(changed) : { ...changed }),
};
const TAKEN: Taking = { own: (part) => part, record: (changed) => changed };

function same(a: unknown, b: unknown, depth: number): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b, depth);
  return !Array.isArray(b) && sameRecord(a as Fields, b as Fields, depth);
}

function sameList(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i];
    if (x !== y && !same(x, y, depth + 1)) return false;
  }
  return true;
}

function sameRecord(a: Fields, b: Fields, depth: number): boolean {
  if (!isPlain(b)) return sameFields(a, b, depth);
  let left = 0;
  for (const _ in b) left += 1;
  if (left === 0) return isEmptyPlain(a);
  for (const key in a) {
    left -= 1;
    const x = a[key];
    const y = b[key];
    if (x !== y && !same(x, y, depth + 1)) return false;
    // Every object inherits functions such as `toString`, and `__proto__`, without having such a field of its own.
    if ((x === undefined || typeof x === "function" || key === "__proto__") && !Object.hasOwn(b, key)) return false;
  }
  return left === 0;
}

/** Compares like `sameRecord`, for instances of a class, whose enumerable fields may be inherited. */
function sameFields(a: Fields, b: Fields, depth: number): boolean {
  const fields = new Map<string, unknown>();
  for (const key in b) fields.set(key, b[key]);
  let left = fields.size;
  if (left === 0) return false;
  for (const key in a) {
    left -= 1;
    const x = a[key];
    const y = fields.get(key);
    if ((x !== y && !same(x, y, depth + 1)) || !fields.has(key)) return false;
  }
  return left === 0;
}

function isEmptyPlain(value: Fields): boolean {
  if (!isPlain(value)) return false;
  for (const _ in value) return false;
  return true;
}

function settle(next: unknown, previous: unknown, depth: number, how: Taking): unknown {
  if (next === previous) return previous;
  if (typeof next !== "object" || next === null) return Object.is(next, previous) ? previous : next;
  if (typeof previous !== "object" || previous === null || depth > MAX_DEPTH) return how.own(next);
  if (Array.isArray(next)) {
    if (!Array.isArray(previous)) return how.own(next);
    if (next.length === previous.length) return settleEach(next, previous, depth, how);
    return settleList(next, previous, depth, how);
  }
  if (Array.isArray(previous)) return how.own(next);
  return settleRecord(next as Fields, previous as Fields, depth, how);
}

/** Reconciles two lists of the same length, item by item. */
function settleEach(
  next: readonly unknown[],
  previous: readonly unknown[],
  depth: number,
  how: Taking,
): readonly unknown[] {
  let list: unknown[] | undefined;
  for (let i = 0; i < next.length; i++) {
    const before = previous[i];
    const settled = settle(next[i], before, depth + 1, how);
    if (!Object.is(settled, before)) (list ??= previous.slice())[i] = settled;
  }
  return list ?? previous;
}

function settleList(
  next: readonly unknown[],
  previous: readonly unknown[],
  depth: number,
  how: Taking,
): readonly unknown[] {
  const { front, back } = ends(next, previous, depth + 1);
  const list = previous.slice(0, front);
  for (let i = front; i < next.length - back; i++) {
    list.push(i < previous.length - back ? settle(next[i], previous[i], depth + 1, how) : how.own(next[i]));
  }
  for (let i = previous.length - back; i < previous.length; i++) list.push(previous[i]);
  return list;
}

/**
 * Returns how many items at the beginning and at the end of two lists are equal, so that adding or removing an item
 * leaves the others alone.
 */
function ends(
  next: readonly unknown[],
  previous: readonly unknown[],
  depth: number,
): { readonly front: number; readonly back: number } {
  const shorter = Math.min(next.length, previous.length);
  let front = 0;
  while (front < shorter && same(next[front], previous[front], depth)) front += 1;
  let back = 0;
  while (back < shorter - front && same(next[next.length - 1 - back], previous[previous.length - 1 - back], depth))
    back += 1;
  return { front, back };
}

function settleRecord(next: Fields, previous: Fields, depth: number, how: Taking): Fields {
  if (same(next, previous, depth)) return previous;
  if (!isPlain(next)) return next;
  const record = how.record(next);
  for (const key in record) {
    const part = record[key];
    if (typeof part !== "object" || part === null || !Object.hasOwn(record, key)) continue;
    const before = Object.hasOwn(previous, key) ? previous[key] : undefined;
    setField(record, key, settle(part, before, depth + 1, how));
  }
  return record;
}
