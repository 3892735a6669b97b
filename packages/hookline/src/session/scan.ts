import { readSync } from "node:fs";

const LF = 10;
const CHUNK = 1 << 20;

/**
 * Receives each line of a range, first to last. `bytes` are only valid during the call. `offset` is the line's position
 * in the file. `terminated` is false for a last line without a line break. Returning `false` ends the scan.
 */
export type LineVisitor = (
  bytes: Buffer,
  start: number,
  end: number,
  offset: number,
  terminated: boolean,
) => boolean | undefined;

/** Reads the lines of a range of a file. `from` must be the start of a line. */
export function eachLine(fd: number, from: number, to: number, visit: LineVisitor, chunk: number = CHUNK): void {
  const rest = eachFill(fd, { from, to, chunk }, (bytes, fresh, held, offset) => {
    let start = 0;
    let lf = find(bytes, fresh, held);
    while (lf !== -1) {
      if (visit(bytes, start, lf, offset + start, true) === false) return undefined;
      start = lf + 1;
      lf = find(bytes, start, held);
    }
    return start;
  });
  if (rest !== undefined) visit(rest.bytes, 0, rest.bytes.length, rest.offset, false);
}

/**
 * Reads a range of a file through one buffer. `take` is called whenever the buffer has new bytes. `fresh` is the index
 * of the new bytes, `held` the end of all bytes, and `offset` the file position of the buffer. `take` returns how many
 * bytes it has used, or `undefined` to stop. Unused bytes are returned at the end of the range.
 */
function eachFill(
  fd: number,
  { from, to, chunk }: { readonly from: number; readonly to: number; readonly chunk: number },
  take: (bytes: Buffer, fresh: number, held: number, offset: number) => number | undefined,
): { readonly bytes: Buffer; readonly offset: number } | undefined {
  let buffer: Buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunk, to - from)));
  let held = 0;
  let position = from;
  while (position < to) {
    const count = readSync(fd, buffer, held, Math.min(buffer.length - held, to - position), position);
    if (count === 0) break;
    const fresh = held;
    position += count;
    held += count;
    const taken = take(buffer, fresh, held, position - held);
    if (taken === undefined) return undefined;
    if (taken > 0) {
      buffer.copyWithin(0, taken, held);
      held -= taken;
    } else buffer = roomier(buffer, held);
  }
  return held === 0 ? undefined : { bytes: buffer.subarray(0, held), offset: position - held };
}

/**
 * Reads a range in decoded blocks of whole lines, which is faster than `eachLine` if every line is needed. `terminated`
 * is false for a last line without a line break, which is a block of its own. `offset` is the block's position in the
 * file. In latin1, the index of a character in the block is also the index of its byte.
 */
export function eachBlock(
  fd: number,
  from: number,
  to: number,
  visit: (text: string, terminated: boolean, offset: number) => void,
  encoding: "utf8" | "latin1" = "utf8",
): void {
  const rest = eachFill(fd, { from, to, chunk: CHUNK }, (bytes, _, held, offset) => {
    const whole = bytes.subarray(0, held).lastIndexOf(LF) + 1;
    if (whole > 0) visit(bytes.toString(encoding, 0, whole), true, offset);
    return whole;
  });
  if (rest !== undefined) visit(rest.bytes.toString(encoding), false, rest.offset);
}

/**
 * Reads a range backward in decoded blocks of whole lines. `from` must be the start of a line. To stop, `visit` returns
 * the index in its text at which the last wanted line begins. Returns that line's position in the file, or `from`.
 * Hardly more is read than the visitor needed.
 */
export function eachBlockBackward(
  fd: number,
  from: number,
  to: number,
  visit: (text: string) => number | undefined,
  block: number = 1 << 18,
): number {
  let end = to;
  let size = block;
  let carry: Buffer = Buffer.alloc(0);
  while (end > from) {
    const begin = Math.max(from, end - size);
    const bytes = Buffer.allocUnsafe(end - begin + carry.length);
    // If the file was truncated meanwhile, the missing bytes become NULs, which are no valid lines.
    bytes.fill(0, readFully(fd, bytes, end - begin, begin), end - begin);
    carry.copy(bytes, end - begin);
    end = begin;

    const first = begin === from ? 0 : bytes.indexOf(LF) + 1;
    carry = bytes.subarray(0, first === 0 && begin > from ? bytes.length : first);
    // Blocks only grow for a line that is longer than a block.
    size = carry.length === bytes.length ? Math.min(size * 2, 4 * CHUNK) : block;
    if (carry.length === bytes.length) continue;
    const text = bytes.toString("utf8", first);
    const at = visit(text);
    if (at !== undefined) return begin + first + bytesBefore(text, at, bytes.subarray(first));
  }
  return from;
}

/** Returns the number of bytes before a line in a decoded text. Invalid bytes have another length when decoded. */
function bytesBefore(text: string, line: number, bytes: Buffer): number {
  if (text.length === bytes.length) return line;
  let at = bytes.length;
  for (let lf = text.lastIndexOf("\n"); lf >= line; lf = lf === 0 ? -1 : text.lastIndexOf("\n", lf - 1))
    at = bytes.lastIndexOf(LF, at - 1);
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1;
}

/** Returns the same buffer, or a copy of twice the size if it is full. */
function roomier(buffer: Buffer, held: number): Buffer {
  if (held < buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger, 0, 0, held);
  return larger;
}

function find(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf(LF, from);
  return at < to ? at : -1;
}

/** Reads `length` bytes at a position, or fewer if the file ends earlier; returns their number. */
export function readFully(fd: number, into: Buffer, length: number, position: number): number {
  let done = 0;
  while (done < length) {
    const count = readSync(fd, into, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
