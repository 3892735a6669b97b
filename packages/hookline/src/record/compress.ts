import { closeSync, fstatSync, futimesSync, openSync, renameSync } from "node:fs";
import { throughTemporary, writeFully } from "@hookline/ground/system";
import { compressFile, isCompressed, plainBytes } from "@hookline/runtime/past";
import { acquireLock, lockOwner } from "../session/lock.ts";
import { recordingsIn } from "./clean.ts";

/** Smaller files take a block or two of the disk in any case, and stay as they are. */
const LEAST_BYTES = 16 * 1024;
/** The maximum number of bytes of other runs that are compressed at the end of one. */
const MOST_LEFT_BYTES = 64 * 1024 * 1024;

/**
 * Compresses a recording that nobody writes, in its place, so that the path that a person was told stays its own. A small
 * file stays as it is, and so does one that the disk has no place for. Returns whether it was to be compressed.
 */
export function compressRecording(path: string): boolean {
  try {
    if (!isLongPlain(path) || lockOwner(path) !== undefined) return false;
    const result = acquireLock(path);
    if (result.state !== "locked") return false;
    try {
      // Somebody may have written it before the lock was taken, so it is opened again.
      compressInPlace(path);
    } finally {
      result.lock.release();
    }
  } catch {
    // The lines are there, and are compressed another time.
  }
  return true;
}

/** Compresses what runs that were killed have left in a folder. */
export function compressLeft(folder: string): void {
  let left = MOST_LEFT_BYTES;
  for (const { path, size } of recordingsIn(folder)) if (size <= left && compressRecording(path)) left -= size;
}

function isLongPlain(path: string): boolean {
  const fd = openSync(path, "r");
  try {
    return fstatSync(fd).size >= LEAST_BYTES && !isCompressed(fd);
  } finally {
    closeSync(fd);
  }
}

function compressInPlace(path: string): void {
  const fd = openSync(path, "r");
  try {
    const { size, atime, mtime } = fstatSync(fd);
    if (size < LEAST_BYTES || isCompressed(fd)) return;
    const fill = (to: number): void => {
      compressFile(fd, to);
      // It is kept for a time that counts from its last moment.
      futimesSync(to, atime, mtime);
    };
    throughTemporary(path, fill, renameSync);
  } finally {
    closeSync(fd);
  }
}

/** Makes a compressed recording lines again, which can be continued. The caller holds its lock. Throws as the file system does. */
export function expandRecording(path: string): void {
  const fd = openSync(path, "r");
  try {
    if (!isCompressed(fd)) return;
    const bytes = plainBytes(fd);
    const chunk = Buffer.allocUnsafe(1 << 18);
    const fill = (to: number): void => {
      for (let at = 0, count = bytes.read(chunk, 0); count > 0; count = bytes.read(chunk, at)) {
        writeFully(to, chunk.subarray(0, count));
        at += count;
      }
    };
    throughTemporary(path, fill, renameSync);
  } finally {
    closeSync(fd);
  }
}
