/** The deepest nesting that is copied or compared. JSON from elsewhere has at most this depth (guarantees R18). */
export const MAX_DEPTH = 256;

const PLAIN: unknown = Object.prototype;

/**
 * Functions that copy plain records; they return `undefined` for one without a prototype or with a field named
 * `constructor`. The outer levels of a value each have a function of their own: V8 copies an object three times as fast
 * at a call site that has seen at most four kinds of object, and a conversation has more than four. `constructor` is
 * read for speed alone: after that, V8 knows the object's prototype without another call. A record with a field of that
 * name is copied in the slow way.
 */
const copies: readonly ((value: object) => Record<string, unknown> | undefined)[] = [
  (value) => (value.constructor === Object && Object.getPrototypeOf(value) === PLAIN ? { ...value } : undefined),
  (value) => (value.constructor === Object && Object.getPrototypeOf(value) === PLAIN ? { ...value } : undefined),
  (value) => (value.constructor === Object && Object.getPrototypeOf(value) === PLAIN ? { ...value } : undefined),
  (value) => (value.constructor === Object && Object.getPrototypeOf(value) === PLAIN ? { ...value } : undefined),
];

/**
 * Copies plain data: arrays and plain objects are new, everything else is shared (strings, functions, class instances,
 * signals). Throws for a value that is nested too deeply or contains itself.
 */
export function cloneShell<T>(value: T): T {
  return clone(value, 0, false) as T;
}

/**
 * Copies like `cloneShell`, but leaves out fields named `__proto__`, as a hook's answer must not contain them. `depth`
 * is how deep in the answer the value is.
 */
export function cloneAnswer(value: unknown, depth = 0): unknown {
  return clone(value, depth, true);
}

function clone(value: unknown, depth: number, isAnswer: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? cloneList(value, depth, isAnswer) : cloneRecord(value, depth, isAnswer);
}

function cloneList(value: readonly unknown[], depth: number, isAnswer: boolean): unknown[] {
  if (depth > MAX_DEPTH) throw tooDeep();
  const list = value.slice();
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item === "object" && item !== null)
      list[i] = Array.isArray(item) ? cloneList(item, depth + 1, isAnswer) : cloneRecord(item, depth + 1, isAnswer);
  }
  return list;
}

function cloneRecord(value: object, depth: number, isAnswer: boolean): object {
  if (depth > MAX_DEPTH) throw tooDeep();
  const copy = (copies[depth & 3] as (typeof copies)[0])(value) ?? unusual(value, isAnswer);
  if (copy === undefined) return value;
  for (const key in copy) {
    const item = copy[key];
    if (key === "__proto__") cloneUnusual(copy, key, depth, isAnswer);
    // A field that a changed `Object.prototype` adds to every record is not the record's own and must not be copied.
    else if (typeof item === "object" && item !== null && Object.hasOwn(copy, key))
      copy[key] = Array.isArray(item) ? cloneList(item, depth + 1, isAnswer) : cloneRecord(item, depth + 1, isAnswer);
  }
  return copy;
}

/** Copies a record without a prototype or with a field called `constructor`; returns `undefined` for anything else. */
function unusual(value: object, isAnswer: boolean): Record<string, unknown> | undefined {
  if (Object.getPrototypeOf(value) === PLAIN) return { ...value };
  if (!isPlain(value)) return undefined;
  return isAnswer ? { ...value } : bare(value);
}

/** Copies a `__proto__` field if it is the record's own; a plain assignment would set the prototype. */
function cloneUnusual(copy: Record<string, unknown>, key: string, depth: number, isAnswer: boolean): void {
  if (!Object.hasOwn(copy, key)) return;
  if (isAnswer && key === "__proto__") delete copy[key];
  else setField(copy, key, clone(copy[key], depth + 1, isAnswer));
}

function tooDeep(): Error {
  return new Error(`it is nested more than ${MAX_DEPTH} levels deep or contains itself`);
}

/** Copies a record that has no prototype to one that has none either. */
export function bare(value: object): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, value);
}

/** Returns whether an object is a record: not an instance of a class, and without inherited fields. */
export function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}

/** Sets a field, even one named `__proto__`, without changing the prototype. */
export function setField(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  else record[key] = value;
}
