import { closeSync, constants, openSync } from "node:fs";
import { settingOf } from "./context.ts";
import { isEntry } from "./entry.ts";
import { parseLine } from "./line.ts";
import type { UnreadHead } from "./load.ts";
import { eachLine } from "./scan.ts";

/** The first bytes of each line that hookline or pi writes. */
const TYPE = Buffer.from('{"type":"');
const ID = Buffer.from('","id":"');
const PARENT = Buffer.from('","parentId":');
const NULL = Buffer.from("null");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The longest id that is read, in bytes. Neither hookline nor pi writes longer ones. */
const LONGEST_ID = 64;
const TELLS = ["thinking_level_change", "compaction"].map((type) => Buffer.from(type));

/** The thinking level at the end of a chain of entries. */
export interface ChainLevel {
  /** The last level that an entry sets; absent if no entry sets one. */
  readonly thinkingLevel?: string;
}

/**
 * Returns the thinking level at the end of a file's unread part, if that part is one chain of entries up to `lastId`.
 *
 * Each entry of a chain is the child of the one before. Returns undefined otherwise, for example after a move in the
 * tree. Compares the bytes of ids and parses only lines that may set a level, so it is hardly slower than reading the
 * file.
 */
export function levelOfChain({ path, from, to }: UnreadHead, lastId: string): ChainLevel | undefined {
  const previous = Buffer.alloc(LONGEST_ID);
  let length = -1;
  let level: ChainLevel = {};
  let isChain = true;
  const visit = (bytes: Buffer, start: number, end: number): boolean => {
    isChain = false;
    const type = textAfter(bytes, TYPE, start, end);
    const id = type && textAfter(bytes, ID, type.end, end);
    if (type === undefined || id === undefined || id.end - id.start > LONGEST_ID || !startsWith(bytes, PARENT, id.end))
      return false;
    const parentAt = id.end + PARENT.length;
    if (startsWith(bytes, NULL, parentAt)) {
      // A second root starts another path, so the entries are not one chain.
      if (length !== -1) return false;
    } else {
      const parent = bytes[parentAt] === QUOTE ? parentAt + 1 : end;
      if (length === -1 || bytes[parent + length] !== QUOTE) return false;
      for (let at = 0; at < length; at++) if (bytes[parent + at] !== previous[at]) return false;
    }
    length = id.end - id.start;
    bytes.copy(previous, 0, id.start, id.end);
    if (TELLS.some((name) => type.end - type.start === name.length && startsWith(bytes, name, type.start))) {
      const line = parseLine(bytes, start, end);
      if (typeof line !== "object" || !isEntry(line)) return false;
      level = { ...level, ...levelSetBy(line) };
    }
    isChain = true;
    return true;
  };
  const fd = openSync(path, constants.O_RDONLY);
  try {
    eachLine(fd, from, to, visit);
  } finally {
    closeSync(fd);
  }
  return isChain && length !== -1 && previous.toString("latin1", 0, length) === lastId ? level : undefined;
}

function levelSetBy(entry: Parameters<typeof settingOf>[0]): ChainLevel {
  const { thinkingLevel } = settingOf(entry);
  return thinkingLevel === undefined ? {} : { thinkingLevel };
}

/** Finds the plain ASCII text between `before`, which must be at position `at`, and the next quotation mark. */
function textAfter(bytes: Buffer, before: Buffer, at: number, end: number): { start: number; end: number } | undefined {
  if (!startsWith(bytes, before, at)) return undefined;
  const start = at + before.length;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) return { start, end: index };
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return undefined;
  }
  return undefined;
}

function startsWith(bytes: Buffer, text: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}
