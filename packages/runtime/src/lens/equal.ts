import { cloneShell, MAX_DEPTH, setField } from "./clone.ts";

type Fields = Record<string, unknown>;

/**
 * Structural equality of data: lists item by item, objects by their enumerable fields. What has no such fields and is
 * no plain object (dates, maps, signals, functions) equals only itself, and so does what is nested too deeply or
 * contains itself.
 */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || fenced(() => same(a, b, 0));
}

/**
 * The next value with every part that equals the previous one's replaced by it, and everything else copied:
 * the previous value itself when nothing has changed, and in any case nothing that somebody could still change.
 * Throws like `cloneShell`.
 */
export function reconcile<T>(next: T, previous: T): T {
  return next === previous ? previous : (fenced(() => settle(next, previous, 0)) as T);
}

/**
 * The fields of the objects that are being compared, innermost last. Both sides are read in a `for…in` of their own,
 * which V8 does at the speed of an array; reading one side by the other's keys takes four times as long.
 */
const keys: string[] = [];
const values: unknown[] = [];
let top = 0;
let high = 0;

/** Leaves nothing of what was compared behind, whatever happens. */
function fenced<T>(work: () => T): T {
  const floor = top;
  try {
    return work();
  } finally {
    top = floor;
    values.fill(undefined, floor, high);
    high = floor;
  }
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
  const from = top;
  let to = from;
  for (const key in b) {
    keys[to] = key;
    values[to] = b[key];
    to += 1;
  }
  if (to === from) return isEmptyPlain(a) && isEmptyPlain(b);
  top = to;
  if (to > high) high = to;
  let at = from;
  let alike = true;
  for (const key in a) {
    const place = keys[at] === key && at < to ? at : keys.indexOf(key, from);
    if (place < from || place >= to) {
      alike = false;
      break;
    }
    const x = a[key];
    const y = values[place];
    if (x !== y && !same(x, y, depth + 1)) {
      alike = false;
      break;
    }
    at += 1;
  }
  top = from;
  return alike && at === to;
}

function isEmptyPlain(value: Fields): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return false;
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
  const proto: unknown = Object.getPrototypeOf(next);
  if (proto !== Object.prototype && proto !== null) return next;
  const record: Fields = proto === null ? Object.assign(Object.create(null) as Fields, next) : { ...next };
  for (const key of Object.keys(record)) {
    const before = Object.hasOwn(previous, key) ? previous[key] : undefined;
    setField(record, key, settle(record[key], before, depth + 1));
  }
  return record;
}
