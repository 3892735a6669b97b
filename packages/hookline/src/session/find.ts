import { closeSync, constants, fstatSync, openSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "./entry.ts";
import { isEntry } from "./entry.ts";
import { folderIn, headerFromName, isHeader, type SessionHeader } from "./header.ts";
import { parseLine } from "./line.ts";
import { eachLine } from "./scan.ts";

/** The header must be within this many bytes from the start of a file. */
const HEADER_BYTES = 1 << 20;

/** A session's file with the time of its last change. */
export interface SessionFileStat {
  readonly path: string;
  readonly mtimeMs: number;
}

/** Lists the session files of a folder, last changed first; empty if the folder cannot be read. */
export function sessionFiles(folder: string): SessionFileStat[] {
  const files = entriesOf(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(folder, entry.name));
  return byAge(files);
}

/** Lists the session files in all folders under a root, last changed first. */
export function allSessionFiles(root: string): SessionFileStat[] {
  const folders = entriesOf(root).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.flatMap((entry) => sessionFiles(join(root, entry.name))).sort(newestFirst);
}

/**
 * Reads a session's header without its entries; undefined if the file cannot be read or is no session. If the first
 * readable line is an entry, makes a header from the file name.
 */
export function readHeader(path: string): SessionHeader | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    let first: JsonObject | undefined;
    eachLine(
      fd,
      0,
      Math.min(fstatSync(fd).size, HEADER_BYTES),
      (bytes, start, end) => {
        const line = parseLine(bytes, start, end);
        if (typeof line !== "object") return undefined;
        first = line;
        return false;
      },
      4096,
    );
    if (first && isHeader(first)) return first;
    return first && isEntry(first) ? headerFromName(basename(path)) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Returns the most recently written session of a folder. With `cwd`, only sessions that ran there count. */
export function mostRecent(folder: string, cwd?: string): string | undefined {
  for (const { path } of sessionFiles(folder)) {
    const header = readHeader(path);
    if (header && (cwd === undefined || ranIn(header, cwd))) return path;
  }
  return undefined;
}

/** Whether a session ran in a working directory. */
export function ranIn(header: SessionHeader, cwd: string): boolean {
  const folder = folderIn(header);
  return folder !== "" && resolve(folder) === resolve(cwd);
}

/**
 * Finds the sessions whose id begins with `prefix`. Searches `folder`, and if it has none, all folders under `root`. If
 * the prefix is the whole id of a session, only that session is returned.
 */
export function findByPrefix(folder: string, root: string, prefix: string): string[] {
  if (prefix === "") return [];
  const near = matching(sessionFiles(folder), prefix);
  return near.length > 0 ? near : matching(allSessionFiles(root), prefix);
}

function matching(files: readonly SessionFileStat[], prefix: string): string[] {
  const found: { path: string; id: string }[] = [];
  for (const { path } of files) {
    // Session files are named `…_<id>.jsonl`. A renamed file must be opened to find its id.
    const named = /_([^_]+)\.jsonl$/.exec(basename(path))?.[1];
    if (named !== undefined && UUID.test(named) && !named.startsWith(prefix)) continue;
    const id = readHeader(path)?.id;
    if (id?.startsWith(prefix)) found.push({ path, id });
  }
  const exact = found.filter(({ id }) => id === prefix);
  return (exact.length > 0 ? exact : found).map(({ path }) => path);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function byAge(paths: readonly string[]): SessionFileStat[] {
  const files: SessionFileStat[] = [];
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat) files.push({ path, mtimeMs: stat.mtimeMs });
  }
  return files.sort(newestFirst);
}

/** Files with the same time are sorted by name, which begins with the session's start time. */
function newestFirst(a: SessionFileStat, b: SessionFileStat): number {
  return b.mtimeMs - a.mtimeMs || (a.path < b.path ? 1 : -1);
}
