import { isUtf8 } from "node:buffer";

const FIRST_BLOCK_BYTES = 4096;
const LARGEST_BLOCK_BYTES = 1024 * 1024;

/** A buffer for a stream's whole output, up to a limit. */
export interface Whole {
  /**
   * Adds a chunk; returns false once the limit is exceeded. Then everything is dropped, because half an answer is no
   * answer.
   */
  push(chunk: Uint8Array): boolean;
  /**
   * Returns the text; `valid` is false if the bytes are not UTF-8. A byte order mark stays in the text, because no
   * parser may overlook it.
   */
  text(): { readonly text: string; readonly valid: boolean };
}

/** A buffer for the beginning and the end of a stream's output. */
export interface Ends {
  push(chunk: Uint8Array): void;
  text(): string;
}

/** Returns a buffer that keeps a stream whole. Decodes it in one piece, so that no character is split. */
export function keepWhole(maxBytes: number): Whole {
  let held = growing(maxBytes);
  return {
    push(chunk) {
      if (held.push(chunk) === chunk.length) return true;
      held = growing(0);
      return false;
    },
    text() {
      const bytes = held.bytes();
      return { text: decode(bytes), valid: isUtf8(bytes) };
    },
  };
}

/** Returns a buffer that counts a stream's output without keeping it. */
export function keepNothing(maxBytes: number): Whole {
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      return size <= maxBytes;
    },
    text: () => ({ text: "", valid: true }),
  };
}

/**
 * Returns a buffer that keeps half of the limit from the head and half from the tail, with a notice instead of the
 * rest.
 */
export function keepEnds(maxBytes: number): Ends {
  const head = growing(Math.ceil(maxBytes / 2));
  const tail = ring(Math.floor(maxBytes / 2));
  return {
    push(chunk) {
      tail.push(chunk.subarray(head.push(chunk)));
    },
    text() {
      if (tail.lost() === 0) return decode(Buffer.concat([head.bytes(), tail.bytes()]));
      const first = withoutTornEnd(head.bytes());
      const last = withoutTornStart(tail.bytes());
      const torn = head.bytes().length - first.length + tail.bytes().length - last.length;
      return `${decode(first)}\n[${tail.lost() + torn} bytes are left out here]\n${decode(last)}`;
    },
  };
}

/** Returns a buffer made of blocks, so that growing copies nothing and uses little more memory than the output. */
function growing(maxBytes: number) {
  const blocks: Buffer[] = [];
  let size = 0;
  /** The free part of the last block. */
  let room: Buffer = Buffer.alloc(0);

  function add(bytes: Uint8Array): void {
    if (room.length === 0) {
      const length = Math.min(Math.max(FIRST_BLOCK_BYTES, size), LARGEST_BLOCK_BYTES, maxBytes - size);
      room = Buffer.allocUnsafeSlow(length);
      blocks.push(room);
    }
    const fits = bytes.subarray(0, room.length);
    room.set(fits);
    room = room.subarray(fits.length);
    size += fits.length;
    if (fits.length < bytes.length) add(bytes.subarray(fits.length));
  }

  return {
    /** Adds a chunk; returns how many of its bytes fitted. */
    push(chunk: Uint8Array): number {
      const taken = Math.min(chunk.length, maxBytes - size);
      if (taken > 0) add(chunk.subarray(0, taken));
      return taken;
    },
    bytes: (): Buffer => Buffer.concat(blocks, size),
  };
}

function ring(maxBytes: number) {
  let held: Buffer = Buffer.alloc(0);
  let seen = 0;
  return {
    push(chunk: Uint8Array): void {
      if (chunk.length === 0) return;
      if (held.length === 0) held = Buffer.allocUnsafeSlow(maxBytes);
      const fits = chunk.subarray(Math.max(0, chunk.length - maxBytes));
      const start = maxBytes === 0 ? 0 : (seen + chunk.length - fits.length) % maxBytes;
      const upToEnd = fits.subarray(0, maxBytes - start);
      held.set(upToEnd, start);
      held.set(fits.subarray(upToEnd.length), 0);
      seen += chunk.length;
    },
    /** Returns the bytes, oldest first. */
    bytes(): Buffer {
      if (seen <= maxBytes) return held.subarray(0, seen);
      const oldest = seen % maxBytes;
      return Buffer.concat([held.subarray(oldest), held.subarray(0, oldest)]);
    },
    lost: (): number => Math.max(0, seen - maxBytes),
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Drops a last character whose final bytes were cut off. */
function withoutTornEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return width > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops the rest of a first character whose first byte was cut off. */
function withoutTornStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
