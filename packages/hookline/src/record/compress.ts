import { closeSync, fstatSync, futimesSync, openSync, renameSync, writeFileSync } from "node:fs";
import { throughTemporary } from "@hookline/ground/system";
import { compressFile, isCompressed, plainBytes } from "@hookline/runtime/past";
import { acquireLock, lockOwner } from "../session/lock.ts";
import { recordingsIn } from "./clean.ts";

/** Files with fewer bytes are not compressed: they use one or two blocks of the disk in any case. */
const LEAST_BYTES = 16 * 1024;
/** The maximum number of bytes of other runs' recordings that are compressed at the end of a run. */
const MOST_LEFT_BYTES = 64 * 1024 * 1024;

/**
 * Compresses a recording that nobody writes, at the same path, because the person knows that path. A small file stays
 * as it is, and so does one for which the disk has no space. Returns whether compression was tried.
 */
export function compressRecording(path: string): boolean {
  try {
    if (!isLongPlain(path) || lockOwner(path) !== undefined) return false;
    const result = acquireLock(path);
    if (result.state !== "locked") return false;
    try {
      // Another process may have written the file before it was locked, so it is opened again.
      compressInPlace(path);
    } finally {
      result.lock.release();
    }
  } catch {
    // The recording stays as it was; a later run tries again.
  }
  return true;
}

/** Compresses the recordings that killed runs have left in a folder. */
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
      // The file's times are kept, because they decide how long the recording is kept.
      futimesSync(to, atime, mtime);
    };
    throughTemporary(path, fill, renameSync);
  } finally {
    closeSync(fd);
  }
}

/** Turns a compressed recording into lines again, to continue it. The caller must hold its lock. Throws fs errors. */
export function expandRecording(path: string): void {
  const fd = openSync(path, "r");
  try {
    if (!isCompressed(fd)) return;
    const bytes = plainBytes(fd);
    const chunk = Buffer.allocUnsafe(1 << 18);
    const fill = (to: number): void => {
      for (let at = 0, count = bytes.read(chunk, 0); count > 0; count = bytes.read(chunk, at)) {
        writeFileSync(to, chunk.subarray(0, count));
        at += count;
      }
    };
    throughTemporary(path, fill, renameSync);
  } finally {
    closeSync(fd);
  }
}
