import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { encodeLine } from "./json-line.ts";

const BATCH = 1 << 20;

/** Writes lines to a new file that appears whole or not at all; throws EEXIST where there is one already. */
export function createFile(path: string, lines: Iterable<object>): void {
  throughTemporary(path, (fd) => writeLines(fd, lines), putNew);
}

/** Writes lines in place of a file, which is never seen half written. */
export function replaceFile(path: string, lines: Iterable<object>): void {
  throughTemporary(path, (fd) => writeLines(fd, lines), renameSync);
}

/** Fills a private file next to `path`, syncs it and puts it in place. */
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
      // A rename has taken it away.
    }
  }
  syncDirectory(dirname(path));
}

/** Gives a file a name that must be free; throws EEXIST when it is not. */
export function putNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(to)) throw error;
    // Some file systems have no links.
    renameSync(from, to);
  }
}

/** Makes a folder's new names survive a power cut, where the system can do that. */
export function syncDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch {
    // Windows has no such call; the names are safe there all the same.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Writes all bytes, in as many calls as it takes; throws what the file system throws. */
export function writeFully(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}

function writeLines(fd: number, lines: Iterable<object>): void {
  let batch: Buffer[] = [];
  let size = 0;
  const write = () => {
    writeFully(fd, Buffer.concat(batch));
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
