import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats } from "node:fs";
import { type ByteText, pathOf, under } from "./bytes.ts";
import { hasCode } from "./no-undo.ts";

/** The change time and subfolders of each linked folder. The files of an unchanged one are not read again. */
export type LinkedFolders = Record<ByteText, readonly [changedMs: number, folders: readonly ByteText[]]>;

/** The most bytes that one checkpoint copies if objects cannot be linked. */
const MAX_COPIED = 256 * 1024 * 1024;

/** A folder that changed less than this many ms before it was read is read again: clocks of file systems are coarse. */
export const UNSURE_MS = 100;

/** Matches files of an object store that are not objects, or are incomplete. */
const LEFT = /^(?:tmp_|incoming-|\.tmp-|commit-graph|multi-pack-index|packs$|.*\.lock$|.*\.tmp$|\.hookline-undo-)/;

/**
 * Hard-links new objects of a git object store into a folder of the shadow repository, so that each survives when git
 * removes it from the store. Linked files are never written. If they cannot be linked, they are copied.
 *
 * Returns false if there was too much to copy; then some objects are only in the store itself.
 */
export function linkObjects(
  from: ByteText,
  to: ByteText,
  { linked, check }: { readonly linked: LinkedFolders; readonly check: () => void },
): boolean {
  let copied = 0;
  const link = (source: ByteText, target: ByteText): boolean => {
    try {
      linkSync(pathOf(source), pathOf(target));
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST", "ENOENT")) return true;
      if (!hasCode(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "EACCES")) throw error;
    }
    const { size } = lstatSync(pathOf(source));
    if (copied + size > MAX_COPIED) return false;
    copied += size;
    copyFileSync(pathOf(source), pathOf(`${target}.tmp`), constants.COPYFILE_FICLONE);
    linkSync(pathOf(`${target}.tmp`), pathOf(target));
    rmSync(pathOf(`${target}.tmp`));
    return true;
  };
  const folder = (source: ByteText, target: ByteText): boolean => {
    check();
    const stats = statsOf(source);
    if (stats === undefined) return true;
    const seen = linked[source];
    if (seen !== undefined && seen[0] === stats.mtimeMs)
      return seen[1].map((name) => folder(under(source, name), under(target, name))).every(Boolean);
    mkdirSync(pathOf(target), { recursive: true, mode: 0o700 });
    const folders: ByteText[] = [];
    const now = Date.now();
    let isWhole = true;
    for (const name of namesIn(source)) {
      if (LEFT.test(name)) continue;
      const isPlain = /^[0-9a-f]{38,62}$/.test(name) || name.startsWith("pack-");
      const isFolder = !isPlain && statsOf(under(source, name))?.isDirectory() === true;
      if (isFolder) folders.push(name);
      const add = isFolder ? folder : link;
      isWhole = add(under(source, name), under(target, name)) && isWhole;
    }
    if (isWhole && stats.mtimeMs < now - UNSURE_MS) linked[source] = [stats.mtimeMs, folders];
    return isWhole;
  };
  return folder(from, to);
}

/** Brings back the objects that git has removed from a store since `linkObjects`. Returns their number. */
export function returnObjects(from: ByteText, to: ByteText): number {
  let count = 0;
  // A pack's index must come last, because git regards a pack with an index as complete.
  const names = namesIn(from).sort((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")));
  for (const name of names) {
    const [source, target] = [under(from, name), under(to, name)];
    if (statsOf(source)?.isDirectory() === true) count += returnObjects(source, target);
    else if (statsOf(target) === undefined) {
      mkdirSync(pathOf(to), { recursive: true });
      count += 1;
      try {
        linkSync(pathOf(source), pathOf(target));
      } catch (error) {
        if (!hasCode(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP")) throw error;
        copyFileSync(pathOf(source), pathOf(target), constants.COPYFILE_EXCL);
      }
    }
  }
  return count;
}

/** Returns the stats of a path without following a link; `undefined` if nothing is there. */
export function statsOf(path: ByteText): Stats | undefined {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Returns the names in a folder; empty if there is no such folder. */
export function namesIn(path: ByteText): ByteText[] {
  try {
    return readdirSync(pathOf(path), "latin1");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
