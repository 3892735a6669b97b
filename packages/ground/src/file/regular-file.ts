import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** Throws if the opened file is not the intended one. */
export type Confirm = (path: string, opened: Stats) => void;

/** Flags for opening. Without them, opening a pipe could block, and a terminal could become the controlling one. */
const AT_ONCE = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a file for reading. Refuses pipes, devices and sockets: they may never end, and a blocked thread cannot be
 * stopped. A folder can be opened, but reading it fails with the system's error.
 */
async function openRegular(path: string, confirm?: Confirm): Promise<FileHandle> {
  refuseSpecial(await stat(path), path);
  const file = await open(path, constants.O_RDONLY | AT_ONCE);
  try {
    // Something else may have taken the file's place between `stat` and `open`.
    const found = await file.stat();
    refuseSpecial(found, path);
    confirm?.(path, found);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Returns the bytes of a file. Rejects for anything that is not a regular file. */
export async function readRegular(path: string, confirm?: Confirm): Promise<Buffer> {
  const file = await openRegular(path, confirm);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Returns the first `length` bytes of a file. Rejects for anything that is not a regular file. */
export async function readStart(path: string, length: number): Promise<Uint8Array> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Returns a source or settings file's bytes, at most the first `length`. Throws for anything but a regular file, with a
 * message for the user.
 */
export function readSourceSync(path: string, length?: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | AT_ONCE);
  try {
    if (!fstatSync(fd).isFile()) throw new Error("it is not a regular file");
    if (length === undefined) return readFileSync(fd);
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/** Returns the bytes of a file. Throws for anything that is not a regular file. */
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

/** Writes a text to a file, which it may create. Rejects anything that is not a regular file, without changing it. */
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

/** Names the kind of something that is neither a file nor a folder. */
export function kindOf(found: Stats): string {
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}
