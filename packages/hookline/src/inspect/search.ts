import { linesOf, type RecordingBytes } from "@hookline/runtime/past";
import { objectIn } from "./moment-file.ts";
import type { MomentIndex } from "./moment-index.ts";

const REFERENCE = /"\$+at":(\d+)/g;
const HEADER = /^\{"v":2,"kind":"recording","at":(\d+)/;
const LINES_AT_ONCE = 64;

/**
 * Searches the lines of a source for a text. A value to which several moments refer is found in each of them. If a
 * recorded list extends an earlier one, only its new part is searched, so a message is found where it was added and not
 * in every later request.
 */
export class TextSearch {
  readonly #bytes: RecordingBytes;
  readonly #index: MomentIndex;
  readonly #text: string;
  /** The searched text in JSON's notation. Only lines that contain this are parsed. */
  readonly #written: string;
  readonly #values = new Set<number>();
  readonly #moments = new Set<number>();
  #next = { at: 0, number: 1 };
  #shift = 0;

  constructor(bytes: RecordingBytes, index: MomentIndex, text: string) {
    this.#bytes = bytes;
    this.#index = index;
    this.#text = text.toLowerCase();
    this.#written = JSON.stringify(text).slice(1, -1).toLowerCase();
  }

  has(n: number): boolean {
    return this.#moments.has(n);
  }

  /** The number of moments that have been searched. */
  get searched(): number {
    return this.#index.rows.lastUpTo("at", this.#next.at - 1) + 1;
  }

  /** Searches the indexed lines until `isTime` says that other work needs a turn; returns whether all are searched. */
  advance(isTime: () => boolean): boolean {
    const end = this.#index.file.at;
    let lines = 0;
    for (const line of linesOf(this.#bytes, this.#next)) {
      if (!line.isEnded || line.end > end) return true;
      this.#next = { at: line.end, number: line.number + 1 };
      if (line.text !== undefined) this.#take(line.text, line.at);
      lines += 1;
      if (lines % LINES_AT_ONCE === 0 && isTime()) return false;
    }
    return true;
  }

  #take(text: string, at: number): void {
    const header = HEADER.exec(text);
    if (header !== null) this.#shift = at - Number(header[1]);
    if (!this.#refers(text) && !this.#hasText(text)) return;
    if (text.startsWith('{"at":')) {
      this.#values.add(at);
      return;
    }
    const n = this.#index.momentOf(at);
    if (n !== undefined) this.#moments.add(n);
  }

  #refers(text: string): boolean {
    if (this.#values.size === 0) return false;
    for (const [, at] of text.matchAll(REFERENCE)) if (this.#values.has(Number(at) + this.#shift)) return true;
    return false;
  }

  #hasText(text: string): boolean {
    return text.toLowerCase().includes(this.#written) && this.#isIn(objectIn(text));
  }

  /** Searches only values: names of members do not count as text. */
  #isIn(value: unknown): boolean {
    if (typeof value === "string") return value.toLowerCase().includes(this.#text);
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((part) => this.#isIn(part));
  }
}
