import { isUtf8 } from "node:buffer";
import { closeSync, writeFileSync } from "node:fs";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  type TruncationResult,
  truncateTail,
} from "@hookline/ground";
import { createCharacterGate } from "./characters.ts";
import { openOutputFile } from "./output-files.ts";

/** The largest output of a command, in bytes. Beyond it nothing is saved, and the command is ended. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The number of bytes kept from an output's end: twice the limit, since an incomplete first line is dropped. */
const KEPT_BYTES = DEFAULT_MAX_BYTES * 2;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** A command's output so far, cut to its end. */
export interface OutputSnapshot {
  readonly content: string;
  readonly truncation: TruncationResult;
  /** The file with the full output; absent while the output is within the limits. */
  readonly fullOutputPath?: string;
  /** Why the file with the full output could not be written; absent if it could. */
  readonly saveError?: string;
}

/**
 * Collects a command's output in limited memory: only its end is kept. A longer output is also written to a private
 * file. `finish` must be called once; nothing may be appended after it.
 */
export class CommandOutput {
  readonly #folder: string;
  readonly #gate = createCharacterGate();
  #unsaved: Uint8Array[] = [];
  #file: { readonly path: string; readonly descriptor: number } | undefined;
  #savedBytes = 0;
  #saveError: string | undefined;
  /** The end of the output in UTF-8, in the first {@link #tailBytes} bytes. */
  #tail = Buffer.alloc(0);
  #tailBytes = 0;
  #tailStartsLine = true;
  #totalBytes = 0;
  #hasBegun = false;
  #breaks = 0;
  #openLineBytes = 0;
  #closedLineBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  append(bytes: Uint8Array): void {
    this.#add(this.#gate.pass(bytes));
    this.#unsaved.push(bytes);
    if (this.#isOverLimit()) this.#save();
  }

  finish(): void {
    this.#add(this.#gate.rest());
    if (this.#isOverLimit()) this.#save();
    if (this.#file) closeSync(this.#file.descriptor);
  }

  snapshot(): OutputSnapshot {
    const truncated = this.#isOverLimit();
    const tail = truncateTail(this.#shownTail());
    const cut = truncated && !tail.truncated ? withoutLastBreak(tail) : tail;
    const truncation: TruncationResult = {
      ...cut,
      truncated,
      truncatedBy: truncated ? (cut.truncatedBy ?? (this.#totalBytes > DEFAULT_MAX_BYTES ? "bytes" : "lines")) : null,
      totalLines: this.#lines(),
      totalBytes: this.#totalBytes,
    };
    return {
      content: cut.content,
      truncation,
      ...(this.#file ? { fullOutputPath: this.#file.path } : {}),
      ...(this.#saveError === undefined ? {} : { saveError: this.#saveError }),
    };
  }

  /** The size of the last line in bytes, including a part that is not kept, without its line break. */
  get lastLineBytes(): number {
    return this.#openLineBytes || this.#closedLineBytes;
  }

  /** Returns the kept end of the output from its first whole line on, or the end of a line if no line is whole. */
  #shownTail(): string {
    const tail = this.#tail.subarray(0, this.#tailBytes);
    let start = 0;
    if (!this.#tailStartsLine) {
      const next = tail.indexOf(LINE_FEED) + 1;
      if (next > 0 && next < tail.length) start = next;
      else while (start < 3 && ((tail[start] ?? 0) & 0xc0) === 0x80) start++;
    }
    return tail.toString("utf8", start);
  }

  #lines(): number {
    return this.#breaks + (this.#openLineBytes > 0 ? 1 : 0);
  }

  #isOverLimit(): boolean {
    return this.#totalBytes > DEFAULT_MAX_BYTES || this.#lines() > DEFAULT_MAX_LINES;
  }

  /** Adds whole characters to the kept end of the output, and counts its bytes and lines. */
  #add(written: Buffer): void {
    let bytes = isUtf8(written) ? written : Buffer.from(written.toString("utf8"));
    const isFirst = !this.#hasBegun && bytes.length > 0;
    this.#hasBegun ||= isFirst;
    // Only a byte order mark at the very beginning is dropped.
    if (isFirst && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      bytes = bytes.subarray(BYTE_ORDER_MARK.length);
    this.#totalBytes += bytes.length;
    this.#count(bytes);
    this.#keep(bytes);
  }

  #count(bytes: Buffer): void {
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last === -1) {
      this.#openLineBytes += bytes.length;
      return;
    }
    const before = last === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, last - 1);
    this.#closedLineBytes = before === -1 ? this.#openLineBytes + last : last - before - 1;
    this.#openLineBytes = bytes.length - last - 1;
    for (let at = 0; at <= last; at++) if (bytes[at] === LINE_FEED) this.#breaks++;
  }

  /** Adds bytes to the kept end of the output: at least its last {@link KEPT_BYTES}, and at most twice as many. */
  #keep(bytes: Buffer): void {
    const end = bytes.subarray(Math.max(0, bytes.length - KEPT_BYTES));
    if (end.length < bytes.length) {
      this.#tailStartsLine = bytes[bytes.length - end.length - 1] === LINE_FEED;
      this.#tailBytes = 0;
    } else if (this.#tailBytes + end.length > KEPT_BYTES * 2) {
      const dropped = this.#tailBytes + end.length - KEPT_BYTES;
      this.#tailStartsLine = this.#tail[dropped - 1] === LINE_FEED;
      this.#tail.copyWithin(0, dropped, this.#tailBytes);
      this.#tailBytes -= dropped;
    }
    const size = this.#tailBytes + end.length;
    if (size > this.#tail.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(KEPT_BYTES * 2, size * 2));
      larger.set(this.#tail.subarray(0, this.#tailBytes));
      this.#tail = larger;
    }
    this.#tail.set(end, this.#tailBytes);
    this.#tailBytes = size;
  }

  #save(): void {
    if (this.#saveError === undefined) {
      try {
        this.#file ??= openOutputFile(this.#folder);
        for (const bytes of this.#unsaved) {
          const room = MAX_OUTPUT_BYTES - this.#savedBytes;
          writeFileSync(this.#file.descriptor, bytes.subarray(0, room));
          this.#savedBytes += Math.min(bytes.length, room);
          if (bytes.length > room)
            throw new Error(`only its first ${formatSize(MAX_OUTPUT_BYTES)} are in ${this.#file.path}`);
        }
      } catch (error) {
        this.#saveError = error instanceof Error ? error.message : String(error);
      }
    }
    this.#unsaved = [];
  }
}

/** Removes the last line break, which `truncateTail` removes only if it cuts the text itself. */
function withoutLastBreak(tail: TruncationResult): TruncationResult {
  if (!tail.content.endsWith("\n")) return tail;
  return { ...tail, content: tail.content.slice(0, -1), outputBytes: tail.outputBytes - 1 };
}
