import { randomBytes as cryptoBytes } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

const SYSTEM = "/dev/urandom";

/** The number of bytes to read from the system at once. */
const AT_ONCE = 512;

/** Random bytes that have been read but not used yet. */
let left: Buffer = Buffer.alloc(0);

/**
 * Returns random bytes for names, ids and marks. They are read from the system, because loading Node's `crypto` takes 4
 * ms and a start of hookline uses nothing else of that module.
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

/** Returns a random UUID (version 4). */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8(0x40 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return uuidOf(bytes);
}

/** Formats 16 bytes as a UUID. */
export function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns random bytes from `/dev/urandom`; `undefined` if that is not possible. */
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
