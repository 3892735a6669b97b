import { stat } from "node:fs/promises";
import { formatSize, truncateLine } from "@hookline/ground";
import { type Confirm, readRegular, readStart } from "@hookline/ground/system";
import { throwIfAborted } from "./abort.ts";
import { createLineSearch, splitLines } from "./line-search.ts";
import { readAhead } from "./read-ahead.ts";
import { decodeText, isBinary, SNIFFED_BYTES } from "./text-file.ts";
import type { WalkedFolder } from "./walk.ts";

/** The largest file that is searched, in bytes. A file is read into memory as a whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const READ_AHEAD = 16;

/** A file to search. */
export interface NamedFile {
  readonly path: string;
  /** The path as it is shown. */
  readonly name: string;
  /** Whether to search the file even if it looks binary, and to fail if it cannot be read. */
  readonly forced: boolean;
  /** The folder in which a walk has found the file. */
  readonly folder?: WalkedFolder;
}

/** The files to search, and how they are read. */
export interface GrepSources {
  readonly files: AsyncIterable<NamedFile>;
  readonly readFile: ((path: string) => Promise<string>) | undefined;
  readonly confirm?: Confirm;
  /** Whether permission rules hide the file under another path that is a hard link to it. `names` counts its links. */
  isLeftOut(path: string, names: number): boolean;
}

/** Matching lines as they are shown, and what was left out. */
export interface GrepMatches {
  readonly lines: readonly string[];
  readonly matches: number;
  readonly linesTruncated: boolean;
  readonly notices: readonly string[];
}

/** Searches files in their order, up to the limit. Each match is shown with its context lines. */
export async function grepFiles(
  sources: GrepSources,
  expression: RegExp,
  options: { limit: number; contextLines: number; signal: AbortSignal | undefined },
): Promise<GrepMatches> {
  const { limit, contextLines, signal } = options;
  const shown: string[] = [];
  const left = { unreadable: 0, tooLarge: 0 };
  let matches = 0;
  let linesTruncated = false;
  const show = (name: string, mark: ":" | "-", number: number, line: string): void => {
    const { text, wasTruncated } = truncateLine(line.replaceAll("\r", ""));
    linesTruncated ||= wasTruncated;
    shown.push(`${name}${mark}${number}${mark} ${text}`);
  };
  const search = createLineSearch(expression, { signal });
  try {
    for await (const { name, text } of readAhead(sources.files, READ_AHEAD, (file) => load(file, sources, left))) {
      throwIfAborted(signal);
      if (text === undefined) continue;
      const found = await search.search(text, limit - matches, name);
      const lines = found.length > 0 ? splitLines(text) : [];
      for (const match of found) {
        const first = Math.max(1, match - contextLines);
        const last = Math.min(lines.length, match + contextLines);
        for (let number = first; number <= last; number++)
          show(name, number === match ? ":" : "-", number, lines[number - 1] ?? "");
      }
      matches += found.length;
      if (matches >= limit) break;
    }
  } finally {
    await search.close();
  }
  const notices = [
    ...(left.unreadable > 0 ? [`${left.unreadable} files could not be read`] : []),
    ...(left.tooLarge > 0 ? [`${left.tooLarge} files over ${formatSize(MAX_FILE_BYTES)} not searched`] : []),
  ];
  return { lines: shown, matches, linesTruncated, notices };
}

async function load(
  file: NamedFile,
  { readFile: read, isLeftOut, confirm }: GrepSources,
  left: { unreadable: number; tooLarge: number },
): Promise<{ name: string; text: string | undefined }> {
  try {
    if (read) return { name: file.name, text: await read(file.path) };
    const { size, nlink } = await stat(file.path);
    if (!file.forced && isLeftOut(file.path, nlink)) return { name: file.name, text: undefined };
    if (size > MAX_FILE_BYTES) {
      if (file.forced || !isBinary(await readStart(file.path, SNIFFED_BYTES))) left.tooLarge++;
      return { name: file.name, text: undefined };
    }
    return { name: file.name, text: decodeText(await readRegular(file.path, confirm), file.forced) };
  } catch (error) {
    if (file.forced) throw error;
    left.unreadable++;
    return { name: file.name, text: undefined };
  }
}
