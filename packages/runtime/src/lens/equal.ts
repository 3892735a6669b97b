import { bare, cloneShell, isPlain, MAX_DEPTH, setField } from "./clone.ts";

type Fields = Record<string, unknown>;

/**
 * Structural equality of data: lists item by item, objects by their enumerable fields. What has no such fields and is
 * no plain object (dates, maps, signals, functions) equals only itself, and so does what is nested too deeply or
 * contains itself.
 */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || same(a, b, 0);
}

/**
 * The next value with every part that equals the previous one's replaced by it, and everything else copied:
 * the previous value itself when nothing has changed, and in any case nothing that somebody could still change.
 * Throws like `cloneShell`.
 */
export function reconcile<T>(next: T, previous: T): T {
  return settle(next, previous, 0) as T;
}

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
    // What any plain object has without a field of its own.
    if ((x === undefined || typeof x === "function" || key === "__proto__") && !Object.hasOwn(b, key)) return false;
  }
  return left === 0;
}

/** The same for an object of a class, whose fields may be its class's. */
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

function settle(next: unknown, previous: unknown, depth: number): unknown {
  if (next === previous) return previous;
  if (typeof next !== "object" || next === null) return Object.is(next, previous) ? previous : next;
  if (typeof previous !== "object" || previous === null || depth > MAX_DEPTH) return cloneShell(next);
  if (Array.isArray(next)) return Array.isArray(previous) ? settleList(next, previous, depth) : cloneShell(next);
  if (Array.isArray(previous)) return cloneShell(next);
  return settleRecord(next as Fields, previous as Fields, depth);
}

/** Lists are matched from both ends, so that one item more or less leaves all the others as they were. */
function settleList(next: readonly unknown[], previous: readonly unknown[], depth: number): readonly unknown[] {
  const shorter = Math.min(next.length, previous.length);
  let front = 0;
  while (front < shorter && alikeAt(next[front], previous[front], depth)) front += 1;
  if (front === next.length && front === previous.length) return previous;
  let back = 0;
  while (back < shorter - front && alikeAt(next[next.length - 1 - back], previous[previous.length - 1 - back], depth)) {
    back += 1;
  }
  const list = previous.slice(0, front);
  for (let i = front; i < next.length - back; i++) {
    list.push(i < previous.length - back ? settle(next[i], previous[i], depth + 1) : cloneShell(next[i]));
  }
  for (let i = previous.length - back; i < previous.length; i++) list.push(previous[i]);
  return list;
}

function alikeAt(a: unknown, b: unknown, depth: number): boolean {
  return a === b || same(a, b, depth + 1);
}

function settleRecord(next: Fields, previous: Fields, depth: number): Fields {
  if (same(next, previous, depth)) return previous;
  if (!isPlain(next)) return next;
  const record: Fields = Object.getPrototypeOf(next) === null ? bare(next) : { ...next };
  for (const key of Object.keys(record)) {
    const before = Object.hasOwn(previous, key) ? previous[key] : undefined;
    setField(record, key, settle(record[key], before, depth + 1));
  }
  return record;
}
