import { isEntry, type SessionEntry } from "./entry.ts";
import { parseText } from "./line.ts";
import { eachBlockBackward } from "./scan.ts";

/** The end of a session file, from the beginning of its last entry's context. */
export interface Tail {
  /** The entries in file order. */
  readonly entries: readonly SessionEntry[];
  /** The position in the file at which the first of `entries` begins. */
  readonly from: number;
  readonly badLines: number;
  readonly torn: boolean;
}

/** Reads a file backward until the context of its last entry is complete, or to `from`. */
export function readTail(fd: number, from: number, to: number): Tail {
  const entries: SessionEntry[] = [];
  const reached = contextReached();
  let badLines = 0;
  let torn = false;
  const begin = eachBlockBackward(fd, from, to, (text) => {
    for (let end = text.length; end > 0; ) {
      const terminated = text.charCodeAt(end - 1) === LF;
      const stop = terminated ? end - 1 : end;
      const start = stop === 0 ? 0 : text.lastIndexOf("\n", stop - 1) + 1;
      const line = parseText(text.slice(start, stop));
      if (typeof line === "object") {
        if (isEntry(line)) {
          entries.push(line);
          if (reached(line)) return start;
        } else if (line["type"] !== "session") badLines += 1;
      } else if (line === "bad" && terminated) badLines += 1;
      else if (line === "bad") torn = true;
      end = start;
    }
    return undefined;
  });
  return { entries: entries.reverse(), from: begin, badLines, torn };
}

const LF = 10;

/**
 * Returns a function that is called with each entry, from the last one backward. It returns true once the context of
 * the last entry is complete: its path has reached a root, or the first entry that the path's last compaction keeps.
 */
export function contextReached(): (entry: SessionEntry) => boolean {
  const seen = new Map<string, SessionEntry>();
  const walked = new Set<string>();
  let wanted: string | null | undefined;
  let kept: string | undefined;
  return (entry) => {
    // If several entries have the same id, the last one counts, and it comes first here.
    if (!seen.has(entry.id)) seen.set(entry.id, entry);
    if (wanted === undefined) wanted = entry.id;
    while (wanted) {
      if (walked.has(wanted)) return true;
      const next = seen.get(wanted);
      if (!next) return false;
      walked.add(wanted);
      if (kept === undefined) {
        if (next.type === "compaction") kept = next.firstKeptEntryId;
        if (kept === next.id) return true;
      } else if (next.id === kept) return true;
      wanted = next.parentId;
    }
    return true;
  };
}
