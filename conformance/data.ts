/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** What JSON has no word for is written as an object with the key `$`; see the README. */
const MARK = "$";

/** The value that a case's data stands for: a copy of its own, so that nobody can change the case. */
export function fromData(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(fromData);
  const make = makers[String((data as Fields)[MARK])];
  if (make !== undefined) return make();
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fromData(value)]));
}

const makers: Readonly<Record<string, () => unknown>> = {
  function: () => () => undefined,
  signal: () => new AbortController().signal,
};

/** A value as data, as it is now; fields that are `undefined` are left out. */
export function toData(value: unknown): unknown {
  if (typeof value === "function") return { [MARK]: "function" };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof AbortSignal) return { [MARK]: "signal" };
  if (value instanceof Set) return { [MARK]: "set" };
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : toData(item)));
  const fields: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) if (field !== undefined) fields[key] = toData(field);
  return fields;
}

/** Where data differs from what is wanted of it, in words; `undefined` when it does not. */
export function difference(wanted: unknown, got: unknown, path: string): string | undefined {
  if (typeof wanted !== "object" || wanted === null || typeof got !== "object" || got === null) {
    if (isKind(wanted, got) || Object.is(wanted, got)) return undefined;
    return `${path}: wanted ${show(wanted)}, got ${show(got)}`;
  }
  if (Array.isArray(wanted) !== Array.isArray(got)) return `${path}: wanted ${show(wanted)}, got ${show(got)}`;
  if (Array.isArray(wanted)) return listDifference(wanted, got as unknown[], path);
  const open = (wanted as Fields)[MARK] === "more";
  const names = Object.keys(wanted).filter((name) => !open || name !== MARK);
  for (const name of names) {
    const found = difference((wanted as Fields)[name], (got as Fields)[name], `${path}.${name}`);
    if (found !== undefined) return found;
  }
  const extra = open ? undefined : Object.keys(got).find((name) => !Object.hasOwn(wanted, name));
  return extra === undefined ? undefined : `${path}.${extra}: wanted nothing, got ${show((got as Fields)[extra])}`;
}

function listDifference(wanted: readonly unknown[], got: readonly unknown[], path: string): string | undefined {
  if (wanted.length !== got.length) return `${path}: wanted ${show(wanted)}, got ${show(got)}`;
  for (const [i, item] of wanted.entries()) {
    const found = difference(item, got[i], `${path}[${i}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `{ "$": "number" }` wants any number, where a value cannot be known beforehand. */
function isKind(wanted: unknown, got: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || !Object.hasOwn(wanted, MARK)) return false;
  return (wanted as Fields)[MARK] === typeof got;
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
