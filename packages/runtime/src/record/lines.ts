/** The bytes of a recording, such as an open file's. */
export interface RecordingBytes {
  /**
   * Reads up to `into.length` bytes from the offset `from`; returns their number, 0 at the end. Throws like the file
   * system.
   */
  read(into: Uint8Array, from: number): number;
  close?(): void;
  /** The name in messages, such as the file's path. */
  readonly name?: string;
}

/** One line of a file, without its line break. */
export interface FileLine {
  /** The text; `undefined` if its bytes are not UTF-8, or if the line is too long. */
  readonly text: string | undefined;
  /** The line's byte offset in the file. */
  readonly at: number;
  /** The 1-based number of the line. */
  readonly number: number;
  /** False for a last line without a line break. */
  readonly isEnded: boolean;
  /** The offset of the byte after the line and its line break. */
  readonly end: number;
}

const LF = 10;
const CHUNK_BYTES = 1 << 16;
/** The limit of a line in bytes; longer lines are skipped. */
const MAX_LINE_BYTES = 1 << 27;

/** Yields the lines of a recording, the first one at `from`. Holds one chunk of it, or one line if that is longer. */
export function* linesOf(
  bytes: RecordingBytes,
  from: Pick<FileLine, "at" | "number"> = { at: 0, number: 1 },
): Generator<FileLine, void> {
  let buffer = new Uint8Array(CHUNK_BYTES);
  let held = 0;
  let { at, number } = from;
  let isTooLong = false;
  for (;;) {
    const count = bytes.read(buffer.subarray(held), at + held);
    const searched = held;
    held += count;
    let start = 0;
    for (let lf = find(buffer, searched, held); lf !== -1; lf = find(buffer, start, held)) {
      const text = isTooLong ? undefined : textOf(buffer.subarray(start, lf));
      isTooLong = false;
      yield { text, at: at + start, number, isEnded: true, end: at + lf + 1 };
      number += 1;
      start = lf + 1;
    }
    buffer.copyWithin(0, start, held);
    held -= start;
    at += start;
    if (count === 0) {
      if (held > 0)
        yield {
          text: isTooLong ? undefined : textOf(buffer.subarray(0, held)),
          at,
          number,
          isEnded: false,
          end: at + held,
        };
      return;
    }
    if (held === buffer.length && held >= MAX_LINE_BYTES) {
      isTooLong = true;
      at += held;
      held = 0;
    } else if (held === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
  }
}

/** Returns the line at a byte offset; `undefined` if it is too long. The last line may have no line break. */
export function lineAt(bytes: RecordingBytes, at: number): string | undefined {
  for (let size = 1 << 12; size <= MAX_LINE_BYTES; size *= 4) {
    const buffer = new Uint8Array(size);
    const count = fill(bytes, buffer, at);
    const lf = find(buffer, 0, count);
    if (lf !== -1) return textOf(buffer.subarray(0, lf));
    if (count < size) return textOf(buffer.subarray(0, count));
  }
  return undefined;
}

function fill(bytes: RecordingBytes, into: Uint8Array, from: number): number {
  let held = 0;
  while (held < into.length) {
    const count = bytes.read(into.subarray(held), from + held);
    if (count === 0) break;
    held += count;
  }
  return held;
}

function find(buffer: Uint8Array, from: number, to: number): number {
  const at = buffer.indexOf(LF, from);
  return at < to ? at : -1;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
