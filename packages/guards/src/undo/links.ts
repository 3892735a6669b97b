import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats } from "node:fs";
import { type ByteText, pathOf, under } from "./bytes.ts";
import { hasCode } from "./no-undo.ts";

/** The state of an object store's folders when they were linked: the last change of each, and the folders in it. */
export type LinkedFolders = Record<ByteText, readonly [changedMs: number, folders: readonly ByteText[]]>;

/** How many bytes one checkpoint copies where objects cannot be linked. */
const MAX_COPIED = 256 * 1024 * 1024;

/** A folder is read again if it changed less than this before it was read: clocks of file systems are coarse. */
export const UNSURE_MS = 100;

/** Files of an object store that are not objects, or not finished. */
const LEFT = /^(?:tmp_|incoming-|\.tmp-|commit-graph|multi-pack-index|packs$|.*\.lock$|.*\.tmp$|\.hookline-undo-)/;

/**
 * Links each object of a store that is not yet linked into a folder of the shadow, so that objects outlive the store's own
 * clean-up. The files are shared and never written. Where the file system cannot link them they are copied.
 *
 * Returns false if there was too much to copy: then the store keeps some objects only itself.
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

/** Puts back the objects that a store has lost since they were linked. Returns how many. */
export function returnObjects(from: ByteText, to: ByteText): number {
  let count = 0;
  // A pack's index comes last, because git takes a pack with an index for a whole one.
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

/** Returns what a path itself is, without following a link; `undefined` if nothing is there. */
export function statsOf(path: ByteText): Stats | undefined {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Returns the names in a folder; none if it is not there. */
export function namesIn(path: ByteText): ByteText[] {
  try {
    return readdirSync(pathOf(path), "latin1");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
