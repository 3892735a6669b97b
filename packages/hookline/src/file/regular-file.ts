import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** Opening a pipe without its other end would wait; opening a terminal must not make it the process's own. */
const AT_ONCE = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a file to read. Refuses what is no file: a pipe, a device or a socket may never come to an end, and a thread
 * that waits for one cannot be called back. A folder is left to the read, which names it as the system does.
 */
async function openRegular(path: string): Promise<FileHandle> {
  refuseSpecial(await stat(path), path);
  const file = await open(path, constants.O_RDONLY | AT_ONCE);
  try {
    // What lies at a path may change between two looks.
    refuseSpecial(await file.stat(), path);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** The bytes of a file; rejects for what is no file. */
export async function readRegular(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The first bytes of a file, at most so many; rejects for what is no file. */
export async function readStart(path: string, length: number): Promise<Uint8Array> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The bytes of a file, read at once; throws for what is no file. */
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

/** Puts a text into a file, which is made where there is none; rejects for what is no file, and leaves it as it is. */
export async function writeRegular(path: string, content: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) refuseSpecial(found, path);
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | AT_ONCE, 0o666);
  try {
    refuseSpecial(await file.stat(), path);
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

/** What something that is neither file nor folder is, in words. */
export function kindOf(found: Stats): string {
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}
