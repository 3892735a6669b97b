/** Replaces a value that is not plain data, and so never counts as unchanged. */
const UNKNOWN = Symbol("unknown");

/** A copied object: the names of its fields in order, and their values. */
class Copied {
  readonly names: readonly string[];
  readonly values: readonly unknown[];

  constructor(record: Readonly<Record<string, unknown>>) {
    this.names = Object.keys(record);
    this.values = this.names.map((name) => copyOf(record[name]));
  }
}

/** Copies plain data for a later comparison; strings are shared. */
export function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return isRecord(value) ? new Copied(value) : UNKNOWN;
}

/** Returns whether a value has the same JSON as when it was copied; false if in doubt. */
export function same(value: unknown, copy: unknown): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, copy);
  if (Array.isArray(value)) {
    if (!Array.isArray(copy) || value.length !== copy.length) return false;
    for (let i = 0; i < value.length; i++) if (!same(value[i], copy[i])) return false;
    return true;
  }
  return copy instanceof Copied && sameRecord(value, copy);
}

/** Compares the names of all fields too, so that an object that got a `toJSON` method since the copy differs. */
function sameRecord(value: object, { names, values }: Copied): boolean {
  if (!isPlain(value)) return false;
  let i = 0;
  for (const name in value) {
    if (name !== names[i] || !same(value[name], values[i])) return false;
    i += 1;
  }
  return i === names.length;
}

/** Returns whether `JSON.stringify` writes exactly the object's own fields. */
function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  return isPlain(value) && !("toJSON" in value);
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
