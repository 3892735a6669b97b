import { type Fields, isFields, readJson } from "@hookline/ground";
import { linesOf as fileLines } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { SourceStream } from "../moment.ts";

/** One line of a file. */
export interface SourceLine {
  /** The 1-based number of the line. */
  readonly line: number;
  /** The line's byte offset in the file. */
  readonly at: number;
  /** The line's object; `undefined` if the line is no JSON object, is nested too deeply or is too long. */
  readonly value: Fields | undefined;
  /** Whether this is a pause instead of a line: all of the file has been read, but more may be added. */
  readonly isPause?: true;
}

const LIMITS = { maxDepth: 256, maxBytes: 1 << 27 };

/** Yields the lines of a file without blank ones. Holds no more than one line. */
export function* sourceLines({
  path,
  passed,
  follows = false,
}: Pick<SourceStream, "path" | "passed" | "follows">): Generator<SourceLine> {
  const file = openBytes(path, passed);
  let next = { at: 0, number: 1 };
  try {
    do {
      for (const { text, at, number, isEnded, end } of fileLines(file, next)) {
        const value = text === undefined ? undefined : fieldsOf(text);
        // An incomplete last line may still be continued.
        if (follows && !isEnded && value === undefined) break;
        // The missing line break of the last line may still be added.
        next = { at: end, number: isEnded ? number + 1 : number };
        if (text === undefined || text.trim() !== "") yield { line: number, at, value };
      }
      if (follows) yield { line: next.number, at: next.at, value: undefined, isPause: true };
    } while (follows);
  } finally {
    file.close();
  }
}

/** Returns the object on one line. Ignores a byte order mark and NUL bytes around it, as opening a session does. */
export function fieldsOf(text: string): Fields | undefined {
  const read = readJson(text.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, ""), LIMITS);
  return read.ok && isFields(read.value) ? read.value : undefined;
}

/** The objects in the bytes that were read last; one reader after the other asks for them to identify a file. */
let last: { readonly first: Uint8Array; readonly objects: readonly Fields[] } | undefined;

/** Returns the objects on the lines in a file's first bytes; the last line is left out if it is cut off. */
export function firstObjects(first: Uint8Array): readonly Fields[] {
  if (last?.first !== first) {
    const lines = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString("utf8").split("\n");
    last = { first, objects: lines.map(fieldsOf).filter((value) => value !== undefined) };
  }
  return last.objects;
}

/** The number of unknown kinds of lines that are counted by name for one file. */
const MOST_NAMES = 20;

/** Returns a function that counts lines of unknown kinds, by the name of the kind. */
export function unknownTypes(stream: Pick<SourceStream, "skip">): (type: unknown) => void {
  const names = new Set<string>();
  return (type) => {
    const name = typeof type === "string" && /^[\w.-]{1,40}$/.test(type) ? type : undefined;
    const isTold = name !== undefined && (names.has(name) || names.size < MOST_NAMES);
    if (isTold) names.add(name);
    stream.skip(isTold ? `unknown-type ${name}` : "unknown-type");
  };
}

/** Returns a value if it is a list, else an empty list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a value if it is a text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a time in milliseconds since the epoch, from a number or a date in a text; 0 for anything else. */
export function timeIn(value: unknown): number {
  const t = typeof value === "number" ? value : Date.parse(textIn(value) ?? "");
  return Number.isFinite(t) ? t : 0;
}
