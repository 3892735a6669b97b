import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fsync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { encodeLine } from "./json-line.ts";

const BATCH = 1 << 20;

/** Writes lines to a new file, which appears completely or not at all. Throws EEXIST if the file exists. */
export function createFile(path: string, lines: Iterable<object>): void {
  throughTemporary(path, (fd) => writeLines(fd, lines), putNew);
}

/** Atomically replaces a file by one with these lines. */
export function replaceFile(path: string, lines: Iterable<object>): void {
  throughTemporary(path, (fd) => writeLines(fd, lines), renameSync);
}

/** Writes a private temporary file next to `path`, syncs it and moves it into place with `put`. */
export function throughTemporary(
  path: string,
  fill: (fd: number) => void,
  put: (from: string, to: string) => void,
): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      fill(fd);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    put(temporary, path);
  } finally {
    try {
      unlinkSync(temporary);
    } catch {
      // `put` has renamed the file, so there is nothing to delete.
    }
  }
  syncDirectory(dirname(path));
}

/** Moves a file to a name that must not exist yet. Throws EEXIST if it does. */
export function putNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(to)) throw error;
    // Some file systems have no hard links. The rename would overwrite a file that has appeared since the check.
    renameSync(from, to);
  }
}

/** Makes new names in a folder survive a power cut, if the system supports that. */
export function syncDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch {
    // Windows cannot sync a folder, and does not need to.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Does the same as `syncDirectory`, on the thread pool. */
export async function syncDirectoryAside(path: string): Promise<void> {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    await promisify(fsync)(fd);
  } catch {
    // Windows cannot sync a folder, and does not need to.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function writeLines(fd: number, lines: Iterable<object>): void {
  let batch: Buffer[] = [];
  let size = 0;
  const write = () => {
    writeFileSync(fd, Buffer.concat(batch));
    batch = [];
    size = 0;
  };
  for (const line of lines) {
    const bytes = encodeLine(line);
    batch.push(bytes);
    size += bytes.length;
    if (size >= BATCH) write();
  }
  write();
}
