import { type Fields, isFields, readJson } from "@hookline/ground";
import { linesOf as fileLines } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { SourceStream } from "../moment.ts";

/** One line of a file. */
export interface SourceLine {
  /** From 1. */
  readonly line: number;
  /** The byte at which it begins. */
  readonly at: number;
  /** `undefined` where the line is no JSON object, is nested too deeply or is too long. */
  readonly value: Fields | undefined;
  /** There is no line now, but more may come. */
  readonly isPause?: true;
}

const LIMITS = { maxDepth: 256, maxBytes: 1 << 27 };

/** The lines of a file, one after the other; blank ones are left out. Holds no more than one line. */
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
        // A line that is cut in the middle may go on.
        if (follows && !isEnded && value === undefined) break;
        // The line break of a line without one may follow.
        next = { at: end, number: isEnded ? number + 1 : number };
        if (text === undefined || text.trim() !== "") yield { line: number, at, value };
      }
      if (follows) yield { line: next.number, at: next.at, value: undefined, isPause: true };
    } while (follows);
  } finally {
    file.close();
  }
}

/** The object on one line. A byte order mark and NUL bytes around it are passed over, as where a session is opened. */
export function fieldsOf(text: string): Fields | undefined {
  const read = readJson(text.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, ""), LIMITS);
  return read.ok && isFields(read.value) ? read.value : undefined;
}

/** The bytes that were read last: each reader of a format asks about the same ones in turn. */
let last: { readonly first: Uint8Array; readonly objects: readonly Fields[] } | undefined;

/** The objects in the first bytes of a file; the last line may be cut, and is left out then. */
export function firstObjects(first: Uint8Array): readonly Fields[] {
  if (last?.first !== first) {
    const lines = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString("utf8").split("\n");
    last = { first, objects: lines.map(fieldsOf).filter((value) => value !== undefined) };
  }
  return last.objects;
}

/** How many kinds of lines that nobody knows are told apart by name in one file. */
const MOST_NAMES = 20;

/** Counts the lines of a file that are of no known kind, by the name of their kind. */
export function unknownTypes(stream: Pick<SourceStream, "skip">): (type: unknown) => void {
  const names = new Set<string>();
  return (type) => {
    const name = typeof type === "string" && /^[\w.-]{1,40}$/.test(type) ? type : undefined;
    const isTold = name !== undefined && (names.has(name) || names.size < MOST_NAMES);
    if (isTold) names.add(name);
    stream.skip(isTold ? `unknown-type ${name}` : "unknown-type");
  };
}

/** A list of a foreign object; empty where there is none. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text of a foreign object. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A time as foreign lines have it, in epoch ms; 0 where there is none. */
export function timeIn(value: unknown): number {
  const t = typeof value === "number" ? value : Date.parse(textIn(value) ?? "");
  return Number.isFinite(t) ? t : 0;
}
