import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { linesOf, openBytes } from "@hookline/runtime/past";
import { lockOwner } from "../session/lock.ts";

/** How many days recordings are kept, and how many bytes of them together. */
export interface Keeping {
  readonly days: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
const HEAD_BYTES = 8192;

/** A recording in a folder, with its age and size. */
export interface Kept {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/**
 * Removes recordings that are too old, whose session was removed, or that exceed the total size, oldest first. Removes
 * only whole files, and none that is being written.
 */
export function cleanRecordings(folder: string, { days, bytes }: Keeping, now: number = Date.now()): void {
  const files = recordingsIn(folder).sort((a, b) => b.mtimeMs - a.mtimeMs);
  let total = 0;
  for (const { path, mtimeMs, size } of files) {
    if (lockOwner(path) !== undefined) continue;
    total += size;
    try {
      if (total <= bytes && now - mtimeMs <= days * DAY_MS && !isOrphan(path)) continue;
      rmSync(path, { force: true });
      total -= size;
    } catch {
      // A file that cannot be removed must not keep the agent from working.
    }
  }
}

/** Lists the recordings in a folder, in no order; none if the folder cannot be read. */
export function recordingsIn(folder: string): Kept[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      const stat = entry.isFile() && /\.jsonl(\.bak)?$/.test(entry.name) ? statSync(path) : undefined;
      return stat === undefined ? [] : [{ path, mtimeMs: stat.mtimeMs, size: stat.size }];
    });
  } catch {
    return [];
  }
}

/**
 * Whether the recording's session was removed, so that it can go too. A session in a missing folder may be on another
 * disk, so its recording stays. One at the level `log` stays too: it may be all that is left of a refused prompt.
 */
function isOrphan(path: string): boolean {
  const file = sessionFileOf(path);
  return file !== undefined && !existsSync(file) && existsSync(dirname(file)) && !isLog(path);
}

/** Whether every run in the recording was recorded at the level `log`, without texts. */
function isLog(path: string): boolean {
  const bytes = openBytes(path);
  try {
    let isLog = false;
    for (const { text = "" } of linesOf(bytes)) {
      const level = HEADER.exec(text)?.[1];
      if (level !== undefined && level !== "log") return false;
      isLog ||= level === "log";
    }
    return isLog;
  } finally {
    bytes.close();
  }
}

const HEADER = /^\{"v":\d+,"kind":"recording",.*"level":"(\w+)"/;

function sessionFileOf(path: string): string | undefined {
  try {
    const bytes = openBytes(path);
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const text = head.toString("utf8", 0, bytes.read(head, 0));
      const { sessionFile } = JSON.parse(text.slice(0, text.indexOf("\n"))) as { readonly sessionFile?: unknown };
      return typeof sessionFile === "string" ? sessionFile : undefined;
    } finally {
      bytes.close();
    }
  } catch {
    return undefined;
  }
}
