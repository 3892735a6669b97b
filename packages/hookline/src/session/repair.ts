import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { parseLine } from "./line.ts";
import { readFully } from "./scan.ts";

const LF = 10;
const CHUNK = 1 << 16;

/**
 * The result of a repair. `ended`: the last line was given its missing line break. `set-aside`: `bytes` bytes of a
 * torn line were moved to `path`.
 */
export type Repair =
  | { readonly done: "nothing" | "ended" }
  | { readonly done: "set-aside"; readonly path: string; readonly bytes: number };

/**
 * Prepares the end of a session file for appending, so that a torn last line does not join the next one. `exclusive`
 * says that no other process writes the file. Otherwise a torn line only gets a line break, and stays as a bad line.
 * Throws file system errors; the file is then unchanged or repaired.
 */
export function repairTail(fd: number, path: string, exclusive: boolean): Repair {
  const { size } = fstatSync(fd);
  const fragment = lastFragment(fd, size);
  if (fragment.length === 0) return { done: "nothing" };
  if (!exclusive || typeof parseLine(fragment, 0, fragment.length) === "object") {
    writeFileSync(fd, Buffer.of(LF));
    return { done: "ended" };
  }
  const aside = `${path}.bak`;
  setAside(aside, fragment);
  ftruncateSync(fd, size - fragment.length);
  return { done: "set-aside", path: aside, bytes: fragment.length };
}

/** Returns the bytes after a file's last line break. */
function lastFragment(fd: number, size: number): Buffer {
  for (let length = Math.min(CHUNK, size); ; length = Math.min(length * 2, size)) {
    const bytes = Buffer.alloc(length);
    readFully(fd, bytes, length, size - length);
    const lf = bytes.lastIndexOf(LF);
    if (lf !== -1 || length === size) return bytes.subarray(lf + 1);
  }
}

function setAside(path: string, bytes: Buffer): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, flags, 0o600);
  try {
    if ((fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    writeFileSync(fd, Buffer.concat([bytes, Buffer.of(LF)]));
  } finally {
    closeSync(fd);
  }
}
