import { closeSync, constants, openSync } from "node:fs";
import { type PathSettings, settingOf } from "./context.ts";
import { isEntry, type SessionEntry } from "./entry.ts";
import { parseLine, parseText } from "./line.ts";
import type { UnreadHead } from "./load.ts";
import { eachBlock, readFully } from "./scan.ts";

/** The position of an entry in a file, and the fields that are known without parsing the line. */
export interface OutlineEntry {
  readonly type: string;
  readonly parentId: string | null;
  readonly offset: number;
  readonly length: number;
}

/**
 * Returns ids, types and parents of the entries in a file's unread part, in file order. Makes one pass over the bytes
 * without parsing. A line that is damaged behind these fields counts as an entry here.
 */
export function readOutline(head: UnreadHead): Map<string, OutlineEntry> {
  const outline = new Map<string, OutlineEntry>();
  const fd = openSync(head.path, constants.O_RDONLY);
  const visit = (text: string, _terminated: boolean, offset: number) => {
    for (let start = 0; start < text.length; ) {
      const lf = text.indexOf("\n", start);
      const end = lf === -1 ? text.length : lf;
      outlineLine(text, start, end, offset, outline);
      start = end + 1;
    }
  };
  try {
    eachBlock(fd, head.from, head.to, visit, "latin1");
  } finally {
    closeSync(fd);
  }
  return outline;
}

/** The beginning of each line that hookline or pi writes. Other lines are parsed. */
const TYPE = '{"type":"';
const ID = '","id":"';
const PARENT = '","parentId":';
const BACKSLASH = 0x5c;

function outlineLine(text: string, start: number, end: number, block: number, into: Map<string, OutlineEntry>): void {
  const offset = block + start;
  const length = end - start;
  const typeEnd = text.indexOf('"', start + TYPE.length);
  const idStart = typeEnd + ID.length;
  const idEnd = text.indexOf('"', idStart);
  const parent = idEnd + PARENT.length;
  const root = text.startsWith("null", parent);
  const parentEnd = root ? parent : text.indexOf('"', parent + 1);
  if (isUsual(text, start, end, typeEnd, idEnd, parentEnd) && (root || text[parent] === '"')) {
    const type = own(text.slice(start + TYPE.length, typeEnd));
    const parentId = root ? null : own(text.slice(parent + 1, parentEnd));
    if (type !== "session") into.set(own(text.slice(idStart, idEnd)), { type, parentId, offset, length });
    return;
  }
  const line = parseText(Buffer.from(text.slice(start, end), "latin1").toString("utf8"));
  if (typeof line === "object" && isEntry(line)) {
    into.set(line.id, { type: line.type, parentId: line.parentId, offset, length });
  }
}

function isUsual(text: string, start: number, end: number, typeEnd: number, idEnd: number, parentEnd: number): boolean {
  if (parentEnd === -1 || parentEnd >= end || idEnd === typeEnd + ID.length) return false;
  if (!text.startsWith(TYPE, start) || !text.startsWith(ID, typeEnd) || !text.startsWith(PARENT, idEnd)) return false;
  for (let index = start; index < parentEnd; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === BACKSLASH) return false;
  }
  return true;
}

const LONGEST_COPY = 12;

/** Copies a text. A slice would keep the whole block that it was cut from in V8's memory. */
function own(text: string): string {
  return text.length <= LONGEST_COPY ? text : Buffer.from(text, "latin1").toString("latin1");
}

/** Parses the line of an entry whose place in the file is known; undefined if the line is damaged. */
export function readOutlined(path: string, entry: OutlineEntry): SessionEntry | undefined {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(entry.length);
    readFully(fd, bytes, entry.length, entry.offset);
    const line = parseLine(bytes, 0, entry.length);
    return typeof line === "object" && isEntry(line) ? line : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Adds to `known` the thinking level and model that the path up to `id` sets. Parses only lines that may set one. */
export function settingsUpTo(
  id: string | null,
  path: string,
  outline: ReadonlyMap<string, OutlineEntry>,
  known: PathSettings,
): PathSettings {
  let { thinkingLevel, model } = known;
  let next = id;
  // `left` ends the loop if the path is a cycle.
  for (let left = outline.size; next && left > 0 && (thinkingLevel === undefined || !model); left--) {
    const at = outline.get(next);
    if (!at) break;
    next = at.parentId;
    const tells = TELLS_LEVEL.has(at.type) ? thinkingLevel === undefined : TELLS_MODEL.has(at.type) && !model;
    const entry = tells ? readOutlined(path, at) : undefined;
    const setting = entry ? settingOf(entry) : {};
    thinkingLevel ??= setting.thinkingLevel;
    model ??= setting.model;
  }
  return { ...(thinkingLevel !== undefined && { thinkingLevel }), ...(model && { model }) };
}

const TELLS_LEVEL: ReadonlySet<string> = new Set(["thinking_level_change", "compaction"]);
const TELLS_MODEL: ReadonlySet<string> = new Set(["message", "model_change"]);
