import { closeSync, writeSync } from "node:fs";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  lastBytes,
  type TruncationResult,
  truncateTail,
} from "@hookline/runtime/internal";
import { openOutputFile } from "./output-files.ts";

/** Output over which a command is ended, and beyond which nothing is saved: both streams together. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Text kept for the tail: enough for the limit whatever the lines look like. */
const KEPT_BYTES = DEFAULT_MAX_BYTES * 2;

/** What a command has written so far, cut to its end. */
export interface OutputSnapshot {
  readonly content: string;
  readonly truncation: TruncationResult;
  /** The file that holds everything; set once the output is over a limit. */
  readonly fullOutputPath?: string;
  /** Why there is no such file, when it could not be written. */
  readonly saveError?: string;
}

/**
 * Collects the output of a command in bounded memory: the end as text, and all of it in a private file once it is over
 * a limit. `finish` must be called once; nothing may be appended after it.
 */
export class CommandOutput {
  readonly #folder: string;
  readonly #decoder = new TextDecoder();
  #unsaved: Uint8Array[] = [];
  #file: { readonly path: string; readonly descriptor: number } | undefined;
  #savedBytes = 0;
  #saveError: string | undefined;
  #tail = "";
  #tailBytes = 0;
  #tailStartsLine = true;
  #totalBytes = 0;
  #breaks = 0;
  #openLineBytes = 0;
  #closedLineBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  append(bytes: Uint8Array): void {
    this.#addText(this.#decoder.decode(bytes, { stream: true }));
    this.#unsaved.push(bytes);
    if (this.#isOverLimit()) this.#save();
  }

  finish(): void {
    this.#addText(this.#decoder.decode());
    if (this.#isOverLimit()) this.#save();
    if (this.#file) closeSync(this.#file.descriptor);
  }

  snapshot(): OutputSnapshot {
    const cut = truncateTail(this.#shownTail());
    const truncated = this.#isOverLimit();
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

  /** Bytes of the last line, all of it, without its break. */
  get lastLineBytes(): number {
    return this.#openLineBytes || this.#closedLineBytes;
  }

  /** Begins with a whole line, unless there is but the end of one. */
  #shownTail(): string {
    if (this.#tailStartsLine) return this.#tail;
    const next = this.#tail.indexOf("\n") + 1;
    return next === this.#tail.length ? this.#tail : this.#tail.slice(next);
  }

  #lines(): number {
    return this.#breaks + (this.#openLineBytes > 0 ? 1 : 0);
  }

  #isOverLimit(): boolean {
    return this.#totalBytes > DEFAULT_MAX_BYTES || this.#lines() > DEFAULT_MAX_LINES;
  }

  #addText(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#totalBytes += bytes;
    this.#tail += text;
    this.#tailBytes += bytes;
    let lineStart = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", lineStart)) {
      this.#breaks++;
      this.#closedLineBytes = this.#openLineBytes + Buffer.byteLength(text.slice(lineStart, at));
      this.#openLineBytes = 0;
      lineStart = at + 1;
    }
    this.#openLineBytes += Buffer.byteLength(text.slice(lineStart));
    if (this.#tailBytes > KEPT_BYTES * 2) this.#dropHead();
  }

  #dropHead(): void {
    const kept = lastBytes(this.#tail, KEPT_BYTES);
    this.#tailStartsLine = this.#tail.charAt(this.#tail.length - kept.length - 1) === "\n";
    this.#tail = kept;
    this.#tailBytes = Buffer.byteLength(kept);
  }

  #save(): void {
    if (this.#saveError === undefined) {
      try {
        this.#file ??= openOutputFile(this.#folder);
        for (const bytes of this.#unsaved) {
          const room = MAX_OUTPUT_BYTES - this.#savedBytes;
          writeWhole(this.#file.descriptor, bytes.subarray(0, room));
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

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
