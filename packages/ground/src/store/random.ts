import { randomBytes as cryptoBytes } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

const SYSTEM = "/dev/urandom";

/** The number of bytes that are read from the system at once. */
const AT_ONCE = 512;

/** Random bytes that nobody has got yet. */
let left: Buffer = Buffer.alloc(0);

/**
 * Random bytes for names, ids and marks. They come from the system itself: a launch needs nothing else of Node's crypto,
 * which takes 4 ms to load.
 */
export function randomBytes(count: number): Buffer {
  if (left.length < count) {
    const more = Math.max(count, AT_ONCE);
    left = systemBytes(more) ?? cryptoBytes(more);
  }
  const bytes = Buffer.from(left.subarray(0, count));
  left = left.subarray(count);
  return bytes;
}

/** A random UUID. */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8(0x40 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return uuidOf(bytes);
}

/** 16 bytes as a UUID is written. */
export function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Undefined where the system has no such file. */
function systemBytes(count: number): Buffer | undefined {
  if (process.platform === "win32") return undefined;
  let file: number | undefined;
  try {
    file = openSync(SYSTEM, "r");
    const bytes = Buffer.alloc(count);
    return readSync(file, bytes) === count ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
