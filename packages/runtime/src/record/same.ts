/** Stands for a value that is no plain data, and so never counts as unchanged. */
const UNKNOWN = Symbol("unknown");

/** A record as it was: its names in order, and what each had. */
class Copied {
  readonly names: readonly string[];
  readonly values: readonly unknown[];

  constructor(record: Readonly<Record<string, unknown>>) {
    this.names = Object.keys(record);
    this.values = this.names.map((name) => copyOf(record[name]));
  }
}

/** A private copy of plain data, to compare with later; texts are shared. */
export function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return isRecord(value) ? new Copied(value) : UNKNOWN;
}

/** Whether a value is, in JSON, what it was when it was copied. When in doubt it is not. */
export function same(value: unknown, copy: unknown): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, copy);
  if (Array.isArray(value)) {
    if (!Array.isArray(copy) || value.length !== copy.length) return false;
    for (let i = 0; i < value.length; i++) if (!same(value[i], copy[i])) return false;
    return true;
  }
  return copy instanceof Copied && sameRecord(value, copy);
}

/** Compares all names, so that a `toJSON` added since the copy makes a difference. */
function sameRecord(value: object, { names, values }: Copied): boolean {
  if (!isPlain(value)) return false;
  let i = 0;
  for (const name in value) {
    if (name !== names[i] || !same(value[name], values[i])) return false;
    i += 1;
  }
  return i === names.length;
}

/** Whether `JSON.stringify` writes its own fields and nothing else. */
function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  return isPlain(value) && !("toJSON" in value);
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
