import { join, resolve } from "node:path";
import { createFile, makePrivateDirectory } from "@hookline/ground/system";
import { fileName, newHeader } from "./header.ts";
import { loadSession } from "./load.ts";

/**
 * Copies a whole session into a new file for another working directory; returns the file's path. Ids stay the same. The
 * new header names the source as its parent. Throws if the source is no session, and file system errors.
 */
export function forkFile(source: string, target: { cwd: string; sessionDir: string; id: string; now: number }): string {
  const from = resolve(source);
  const loaded = loadSession(from, Number.POSITIVE_INFINITY);
  if (loaded.state !== "session") throw new Error(`Cannot fork: source session file is empty or invalid: ${from}`);
  const { cwd, sessionDir, id, now } = target;
  const header = newHeader({ id, now, cwd, parentSession: from });
  makePrivateDirectory(sessionDir);
  const path = join(sessionDir, fileName(header));
  createFile(path, [header, ...loaded.entries]);
  return path;
}
