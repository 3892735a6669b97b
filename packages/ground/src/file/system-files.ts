import { accessSync, constants, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import type { DirEntry, Files } from "./files.ts";
import { readSourceSync } from "./regular-file.ts";

/** This machine's file system. */
export const systemFiles: Files = {
  read: (path) => attempt(() => readSourceSync(path)),
  head: (path) => attempt(() => readSourceSync(path, 2)),
  stat: (path) => {
    const stat = attempt(() => statSync(path, { throwIfNoEntry: false }));
    if (stat === undefined) return undefined;
    const { size, mtimeMs, ctimeMs, mode, nlink: names, ino, uid } = stat;
    const me = process.getuid?.();
    const isOthers = me !== undefined && ((uid !== me && uid !== 0) || (mode & 0o002) !== 0);
    return {
      kind: kindOf(stat),
      size,
      mtimeMs,
      ctimeMs,
      mode: mode & 0o7777,
      names,
      ...(ino !== 0 && { id: fileId(stat) }),
      ...(isOthers && { isOthers }),
    };
  },
  list: (path) =>
    attempt(() =>
      readdirSync(path, { withFileTypes: true })
        .map((entry): DirEntry => ({ name: entry.name, kind: entry.isSymbolicLink() ? "link" : kindOf(entry) }))
        .sort((a, b) => compareBytes(a.name, b.name)),
    ),
  real: (path) => attempt(() => realpathSync.native(path)),
  fault(path) {
    try {
      const stat = statSync(path);
      // Listing a folder needs permission to read it, and looking at its entries permission to search it.
      accessSync(path, stat.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
      // A pipe, a device or a socket is not read, since it may never end.
      return kindOf(stat) === "other" ? "it is not a file" : undefined;
    } catch (thrown) {
      return faultText((thrown as NodeJS.ErrnoException).code, path);
    }
  },
};

/** Returns an identity that all hard links of a file share. */
export function fileId({ dev, ino }: Pick<Stats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** Describes why a path cannot be read; `undefined` if it does not exist. */
function faultText(code: string | undefined, path: string): string | undefined {
  if (code === "ENOENT" || code === "ENOTDIR") {
    // Node replaces the invalid bytes of a name that is not UTF-8, and then cannot find the file.
    if (path.includes("\ufffd")) return "its name is not valid UTF-8; rename it";
    return isLink(path) ? "it is a link that leads nowhere" : undefined;
  }
  if (code === "ELOOP") return "it is a link that leads back to itself";
  if (code === "EACCES" || code === "EPERM") return "this user may not read it";
  return `it cannot be read (${code ?? "unknown error"})`;
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() === true;
}

/** Compares by UTF-8 bytes. This differs from UTF-16 order only between surrogates and the code units above them. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const SURROGATE = /[\ud800-\udfff]/;

function kindOf(entry: Pick<Stats, "isFile" | "isDirectory">): "file" | "directory" | "other" {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "directory" : "other";
}

/** Returns what `read` returns; `undefined` if it throws: discovery treats unreadable paths like missing ones. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
