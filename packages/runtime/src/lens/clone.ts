/** Deeper than foreign data is let in (guarantees R18); what goes on for longer contains itself. */
export const MAX_DEPTH = 256;

/**
 * One of these for each of the outer levels of a value. V8 copies an object in a third of the time at a place that has
 * seen at most four kinds of object, and the messages, blocks and counters of a conversation are more than four.
 */
const copies: readonly ((value: object) => Record<string, unknown>)[] = [
  (value) => ({ ...value }),
  (value) => ({ ...value }),
  (value) => ({ ...value }),
  (value) => ({ ...value }),
];

/**
 * A private copy of plain data: arrays and plain objects are new, everything else is shared
 * (strings, functions, class instances, signals). Throws for a value that is nested too deeply or contains itself.
 */
export function cloneShell<T>(value: T): T {
  return typeof value === "object" && value !== null ? (clone(value, 0, false) as T) : value;
}

/** The same for what a hook has said: fields named `__proto__` are left out. */
export function cloneAnswer(value: unknown): unknown {
  return typeof value === "object" && value !== null ? clone(value, 0, true) : value;
}

function clone(value: object, depth: number, withoutProto: boolean): object {
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep or contains itself`);
  if (Array.isArray(value)) {
    const list: unknown[] = value.slice();
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item === "object" && item !== null) list[i] = clone(item, depth + 1, withoutProto);
    }
    return list;
  }
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  const copy = proto === null && !withoutProto ? bare(value) : (copies[depth & 3] as (typeof copies)[0])(value);
  for (const key in copy) {
    const item = copy[key];
    if (withoutProto && key === "__proto__") delete copy[key];
    else if (typeof item === "object" && item !== null && Object.hasOwn(copy, key))
      setField(copy, key, clone(item, depth + 1, withoutProto));
  }
  return copy;
}

/** A copy of the fields of a record that has no prototype, without one. */
export function bare(value: object): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, value);
}

/** Whether this is a record and not an object of a class, or one that has fields of another object's. */
export function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}

/** Sets a field; one named `__proto__` stays a field like any other. */
export function setField(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  else record[key] = value;
}
