import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** Throws if an opened file is not the one that is meant. */
export type Confirm = (path: string, opened: Stats) => void;

/** Opening a pipe without its other end would block; opening a terminal must not make it the controlling one. */
const AT_ONCE = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a file for reading. Refuses pipes, devices and sockets: they may never end, and a thread that blocks on one
 * cannot be stopped. For a folder, the later read fails with the system's error.
 */
async function openRegular(path: string, confirm?: Confirm): Promise<FileHandle> {
  refuseSpecial(await stat(path), path);
  const file = await open(path, constants.O_RDONLY | AT_ONCE);
  try {
    // The file may have been replaced in the meantime.
    const found = await file.stat();
    refuseSpecial(found, path);
    confirm?.(path, found);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** The bytes of a file; rejects for anything that is not a regular file. */
export async function readRegular(path: string, confirm?: Confirm): Promise<Buffer> {
  const file = await openRegular(path, confirm);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The first `length` bytes of a file; rejects for anything that is not a regular file. */
export async function readStart(path: string, length: number): Promise<Uint8Array> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The bytes of a source or settings file; throws for anything else, in words that complete a diagnostic. */
export function readSourceSync(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | AT_ONCE);
  try {
    if (!fstatSync(fd).isFile()) throw new Error("it is not a regular file");
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of a file, read synchronously; throws for anything that is not a regular file. */
export function readRegularSync(path: string): Buffer {
  refuseSpecial(statSync(path), path);
  const fd = openSync(path, constants.O_RDONLY | AT_ONCE);
  try {
    refuseSpecial(fstatSync(fd), path);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes a text to a file, which is created if missing; rejects for anything that is not a regular file, without
 * changing it.
 */
export async function writeRegular(path: string, content: string, confirm?: Confirm): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) refuseSpecial(found, path);
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | AT_ONCE, 0o666);
  try {
    const opened = await file.stat();
    refuseSpecial(opened, path);
    confirm?.(path, opened);
    await file.truncate();
    await file.writeFile(content, "utf8");
  } finally {
    await file.close();
  }
}

function refuseSpecial(found: Stats, path: string): void {
  if (found.isFile() || found.isDirectory()) return;
  throw new Error(`Not a regular file: ${path} is ${kindOf(found)}. Use bash to read from it or write to it.`);
}

/** The kind of something that is neither file nor folder, as text. */
export function kindOf(found: Stats): string {
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}
