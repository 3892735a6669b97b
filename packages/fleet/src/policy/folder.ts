import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { MOST_FILE_BYTES, type NamedFile, requireFiles } from "./names.ts";
import { Refused } from "./refused.ts";

/** A file that `filesBelow` has found. */
export interface FoundFile extends NamedFile {
  readonly executable: boolean;
}

/** Entries that version control and file managers leave in a folder. */
const LEFT = new Set([".git", ".hg", ".svn", ".DS_Store"]);

/**
 * Returns the files below a folder, sorted by name. Follows no link. Throws `Refused` for anything but a regular file,
 * and for names and sizes that a bundle may not have. With `leaves`, entries of version control and file managers are
 * left out.
 */
export function filesBelow(
  folder: string,
  { what, leaves }: { readonly what: string; readonly leaves: boolean },
): FoundFile[] {
  const files: FoundFile[] = [];
  const visit = (below: string): void => {
    for (const name of readdirSync(join(folder, below)).sort()) {
      if (leaves && LEFT.has(name)) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const found = lstatSync(join(folder, path));
      if (found.isDirectory()) visit(path);
      else if (found.isFile()) files.push({ path, bytes: found.size, executable: (found.mode & 0o111) !== 0 });
      else
        throw new Refused(
          "path",
          `${what}: ${JSON.stringify(path)} is ${found.isSymbolicLink() ? "a link" : "not a file"}`,
        );
    }
  };
  visit("");
  requireFiles(files, what);
  return files;
}

/**
 * Reads a file of a bundle, up to the largest size that is allowed; throws `Refused` for a link or anything but a file.
 */
export function readFile(folder: string, path: string): Buffer {
  const fd = openSync(
    join(folder, path),
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    if (!fstatSync(fd).isFile()) throw new Refused("path", `${path} is not a file`);
    const bytes = Buffer.alloc(MOST_FILE_BYTES + 1);
    let held = 0;
    for (let count = -1; count !== 0 && held < bytes.length; held += count)
      count = readSync(fd, bytes, held, bytes.length - held, null);
    if (held > MOST_FILE_BYTES) throw new Refused("size", `${path} has more than 512 KiB`);
    return bytes.subarray(0, held);
  } finally {
    closeSync(fd);
  }
}
