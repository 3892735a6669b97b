import { fstatSync, readSync, writeFileSync } from "node:fs";
import zlib from "node:zlib";

/** The number of bytes that form one frame: they are compressed together, and decompressed to read any line in them. */
const FRAME_BYTES = 1 << 18;
/** The number of frames that are kept decompressed for one reader. */
const MOST_FRAMES = 8;
/** The first four bytes of a zstd frame, as a little-endian number. */
const MAGIC = 0xfd2fb528;
/** `SKIPPED` begins the index frame, which zstd skips; `SEEKABLE` ends the file. Both are little-endian numbers. */
const SKIPPED = 0x184d2a5e;
const SEEKABLE = 0x8f92eab1;
/** The size of the footer, the last part of the index: the number of frames (4 bytes), flags (1), `SEEKABLE` (4). */
const FOOTER_BYTES = 9;
/** The size of an index entry: a frame's compressed and decompressed sizes. `HAS_CHECKSUMS` adds 4 bytes. */
const ENTRY_BYTES = 8;
const HAS_CHECKSUMS = 0x80;

/** A frame: its `at` and `size` in the compressed file, its `from` and `length` in the decompressed text. */
interface Frame {
  readonly at: number;
  readonly size: number;
  readonly from: number;
  readonly length: number;
}

/** The text of an open file, whether the file is compressed or not. */
export interface PlainBytes {
  /**
   * Reads up to `into.length` bytes from the offset `from`; returns their number, 0 at the end. Throws like the file
   * system.
   */
  read(into: Uint8Array, from: number): number;
  /** Returns the number of bytes of the text at present. */
  size(): number;
}

/**
 * Compresses one open file to another, in the "Zstandard Seekable" format: frames, then an index. Any zstd decompresses
 * the whole, and `plainBytes` a part. Throws like the file system.
 */
export function compressFile(from: number, to: number): void {
  const chunk = Buffer.allocUnsafe(FRAME_BYTES);
  const entries: Buffer[] = [];
  for (let at = 0; ; ) {
    let length = 0;
    for (let count = -1; length < chunk.length && count !== 0; length += count)
      count = readSync(from, chunk, length, chunk.length - length, at + length);
    if (length === 0) break;
    const frame = zlib.zstdCompressSync(chunk.subarray(0, length));
    writeFileSync(to, frame);
    entries.push(words(frame.length, length));
    at += length;
  }
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32LE(entries.length, 0);
  footer.writeUInt32LE(SEEKABLE, FOOTER_BYTES - 4);
  const table = Buffer.concat([...entries, footer]);
  writeFileSync(to, Buffer.concat([words(SKIPPED, table.length), table]));
}

/** Returns the text of an open file, decompressed if `compressFile` wrote the file. */
export function plainBytes(fd: number): PlainBytes {
  const { size } = fstatSync(fd);
  const frames = framesOf(fd, size);
  if (frames === undefined)
    return {
      read: (into, from) => readSync(fd, into, 0, into.length, from),
      size: () => fstatSync(fd).size,
    };
  const last = frames.at(-1);
  const total = last === undefined ? 0 : last.from + last.length;
  const held = new Map<Frame, Buffer>();
  return {
    read(into, from) {
      const frame = frames[Math.floor(from / (frames[0]?.length ?? 1))];
      if (frame === undefined || from >= total) return 0;
      const bytes = held.get(frame) ?? decompressed(fd, frame);
      held.delete(frame);
      held.set(frame, bytes);
      for (const oldest of held.keys()) {
        if (held.size <= MOST_FRAMES) break;
        held.delete(oldest);
      }
      return bytes.copy(into, 0, from - frame.from);
    },
    size: () => total,
  };
}

/** Returns whether an open file was compressed by `compressFile`. */
export function isCompressed(fd: number): boolean {
  return framesOf(fd, fstatSync(fd).size) !== undefined;
}

/**
 * Returns the frames of a compressed file, of which all but the last have the same length; `undefined` for any other
 * file.
 */
function framesOf(fd: number, size: number): Frame[] | undefined {
  if (size < FOOTER_BYTES + ENTRY_BYTES || wordAt(fd, 0) !== MAGIC || wordAt(fd, size - 4) !== SEEKABLE)
    return undefined;
  const footer = bytesAt(fd, size - FOOTER_BYTES, FOOTER_BYTES);
  const count = footer.readUInt32LE(0);
  const step = ((footer[4] as number) & HAS_CHECKSUMS) === 0 ? ENTRY_BYTES : ENTRY_BYTES + 4;
  const start = size - FOOTER_BYTES - count * step;
  if (start < ENTRY_BYTES || wordAt(fd, start - ENTRY_BYTES) !== SKIPPED) return undefined;
  const table = bytesAt(fd, start, count * step);
  const frames: Frame[] = [];
  for (let i = 0, at = 0, from = 0; i < count; i++) {
    const frame = { at, size: table.readUInt32LE(i * step), from, length: table.readUInt32LE(i * step + 4) };
    const isSame = i === count - 1 || frame.length === (frames[0]?.length ?? frame.length);
    if (!isSame || frame.length === 0) return undefined;
    frames.push(frame);
    at += frame.size;
    from += frame.length;
  }
  return frames;
}

function decompressed(fd: number, { at, size, length }: Frame): Buffer {
  return zlib.zstdDecompressSync(bytesAt(fd, at, size), { maxOutputLength: length });
}

function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done);
    if (count === 0) throw new RangeError("the file ends before what its index names");
    done += count;
  }
  return bytes;
}

function wordAt(fd: number, at: number): number {
  return bytesAt(fd, at, 4).readUInt32LE(0);
}

function words(...values: readonly [number, number]): Buffer {
  const bytes = Buffer.alloc(ENTRY_BYTES);
  bytes.writeUInt32LE(values[0], 0);
  bytes.writeUInt32LE(values[1], 4);
  return bytes;
}
