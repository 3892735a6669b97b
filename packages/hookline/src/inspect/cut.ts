import type { Cut } from "./api.ts";

/** Limits for cutting a value, from loose to tight. The first that makes it small enough is used. */
const STEPS: readonly Limits[] = [
  { text: 1 << 16, items: 2000 },
  { text: 1 << 13, items: 500 },
  { text: 1 << 10, items: 100 },
  { text: 200, items: 20 },
  { text: 40, items: 4 },
  { text: 0, items: 0 },
];

interface Limits {
  readonly text: number;
  readonly items: number;
}

/** A value cut to a number of bytes as JSON, and what was left out. */
export interface CutValue<T> {
  readonly value: T;
  readonly cut: readonly Cut[];
}

/** Cuts a value to at most `mostBytes` as JSON. The value itself is not changed. */
export function cutTo<T>(value: T, mostBytes: number): CutValue<T> {
  for (const limits of STEPS) {
    const cut: Cut[] = [];
    const short = shortened(value, "", limits, cut);
    if (limits.text === 0 || bytesOf(short) + bytesOf(cut) <= mostBytes) return { value: short as T, cut };
  }
  return { value, cut: [] };
}

function shortened(value: unknown, path: string, limits: Limits, cut: Cut[]): unknown {
  if (typeof value === "string") {
    if (value.length <= limits.text) return value;
    const text = whole(value, limits.text);
    cut.push({ path, kind: "text", bytes: bytesOf(value), shown: text.length, of: value.length });
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const all = Object.entries(value);
  // Fields at the top are never left out, because they are few and all needed; only their values are cut.
  const isOwn = path === "";
  const shown = isOwn ? all : all.slice(0, limits.items);
  if (shown.length < all.length)
    cut.push({
      path,
      kind: isList ? "list" : "object",
      bytes: bytesOf(value),
      shown: shown.length,
      of: all.length,
    });
  const parts = shown.map(([name, part]) => [name, shortened(part, `${path}/${pointed(name)}`, limits, cut)] as const);
  return isList ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

/** Returns the beginning of a text, without half a surrogate pair at its end. */
export function whole(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, length > 0 && code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/** Returns the value that a JSON pointer points to; undefined if there is none. */
export function pointedAt(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  let part = value;
  for (const word of pointer.slice(1).split("/")) {
    const name = word.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, name)) return undefined;
    part = (part as Readonly<Record<string, unknown>>)[name];
  }
  return part;
}

function pointed(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

const encoder = new TextEncoder();

/** Returns the size of a value as JSON, in bytes. */
export function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? "").length;
}
