import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { basename } from "node:path";
import type { Damage } from "./damage.ts";
import { isEntry, type JsonObject, type SessionEntry } from "./entry.ts";
import { headerFromName, isHeader, SESSION_VERSION, type SessionHeader } from "./header.ts";
import { parseLine, parseText } from "./line.ts";
import { migrate, versionOf } from "./migrate.ts";
import { eachBlock, eachLine } from "./scan.ts";
import { readTail } from "./tail.ts";

/** Files below this size, in bytes, are read completely. */
export const TAIL_FIRST_BYTES = 1 << 20;

/** The part of a session file that was not read, because the context needs only the lines after it. */
export interface UnreadHead {
  readonly path: string;
  /** The position of the first line after the header. */
  readonly from: number;
  readonly to: number;
}

/** A session as it was read from a file. */
export interface LoadedSession {
  readonly state: "session";
  readonly header: SessionHeader;
  /** The entries in file order, without those in `unread`. */
  readonly entries: readonly SessionEntry[];
  readonly unread?: UnreadHead;
  readonly damage: Damage;
  /** All lines in the current format, header first, if the file has an older format. */
  readonly migrated?: { readonly version: number; readonly lines: readonly JsonObject[] };
}

/** The content of a file: a session, nothing (or only a torn header), or something else. */
export type Loaded = LoadedSession | { readonly state: "empty" } | { readonly state: "foreign" };

/**
 * Reads a session file without changing it. Throws file system errors. A file of `tailFirst` bytes or more is read
 * backward, until the context of its last entry is complete.
 */
export function loadSession(path: string, tailFirst: number = TAIL_FIRST_BYTES): Loaded {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(fd);
    return (size >= tailFirst ? loadTailFirst(fd, size, path) : undefined) ?? loadWhole(fd, size, path);
  } finally {
    closeSync(fd);
  }
}

/** Reads the part of a file that `loadSession` left out. */
export function loadHead(head: UnreadHead): { readonly entries: readonly SessionEntry[]; readonly badLines: number } {
  const fd = openSync(head.path, constants.O_RDONLY);
  try {
    const { lines, badLines } = readLines(fd, head.from, head.to);
    const entries = lines.filter(isEntry);
    const others = lines.filter((line) => !isEntry(line) && line["type"] !== "session").length;
    return { entries, badLines: badLines + others };
  } finally {
    closeSync(fd);
  }
}

function loadWhole(fd: number, size: number, path: string): Loaded {
  const { lines, badLines, torn, fragment } = readLines(fd, 0, size);
  const [first] = lines;
  if (first === undefined) return badLines === 0 && startsHeader(fragment) ? { state: "empty" } : { state: "foreign" };
  const headerMissing = !isHeader(first);
  if (headerMissing && !lines.some(isWholeEntry)) return { state: "foreign" };

  const current = migrate(lines);
  const header = current.find(isHeader) ?? headerFromName(basename(path));
  const entries = current.filter(isEntry);
  const others = current.filter((line) => !isEntry(line) && line["type"] !== "session").length;
  return {
    state: "session",
    header,
    entries,
    damage: { badLines: badLines + others, torn, headerMissing },
    ...(current === lines ? {} : { migrated: { version: versionOf(lines), lines: current } }),
  };
}

function loadTailFirst(fd: number, size: number, path: string): LoadedSession | undefined {
  let header: SessionHeader | undefined;
  let from = 0;
  eachLine(
    fd,
    0,
    size,
    (bytes, start, end, offset) => {
      const line = parseLine(bytes, start, end);
      if (typeof line === "object" && isHeader(line)) header = line;
      from = offset + (end - start) + 1;
      return false;
    },
    4096,
  );
  // A file with an unusual first line, such as one of an older format, is read completely.
  if (header?.version === undefined || header.version < SESSION_VERSION || from >= size) return undefined;
  const tail = readTail(fd, from, size);
  return {
    state: "session",
    header,
    entries: tail.entries,
    ...(tail.from > from ? { unread: { path, from, to: tail.from } } : {}),
    damage: { badLines: tail.badLines, torn: tail.torn, headerMissing: false },
  };
}

interface Lines {
  readonly lines: JsonObject[];
  readonly badLines: number;
  readonly torn: boolean;
  /** The text of an incomplete last line. */
  readonly fragment: string;
}

function readLines(fd: number, from: number, to: number): Lines {
  const lines: JsonObject[] = [];
  let badLines = 0;
  let torn = false;
  let fragment = "";
  eachBlock(fd, from, to, (text, terminated) => {
    for (let start = 0; start < text.length; ) {
      const lf = text.indexOf("\n", start);
      const end = lf === -1 ? text.length : lf;
      const line = parseText(text.slice(start, end));
      if (typeof line === "object") lines.push(line);
      else if (line === "bad" && terminated) badLines += 1;
      else if (line === "bad") {
        torn = true;
        fragment = text.slice(start, start + 32);
      }
      start = end + 1;
    }
  });
  return { lines, badLines, torn, fragment };
}

/** Whether a torn first line is the beginning of a header. A power cut may leave NUL bytes before it. */
function startsHeader(fragment: string): boolean {
  const begin = '{"type":"session"';
  const text = fragment.replaceAll("\0", "");
  return text.startsWith(begin) || begin.startsWith(text);
}

/** Whether a line has all common fields of entries. If any line has, a file without a header is a session too. */
function isWholeEntry(line: JsonObject): boolean {
  const { parentId, timestamp } = line;
  return isEntry(line) && (parentId === null || typeof parentId === "string") && typeof timestamp === "string";
}
