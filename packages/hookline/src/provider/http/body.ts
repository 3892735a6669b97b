import { randomUUID } from "node:crypto";

const LONG = 256;
const MOST_BYTES = 16 << 20;
const LIVES = 8;

interface Kept {
  readonly bytes: Buffer;
  /** The body that last had it, by its number. */
  used: number;
}

/**
 * Writes bodies of requests as JSON. Each has nearly all the texts of the one before, whose bytes are kept: what a body
 * costs is what is new in it. What `JSON.stringify` gives for a value is what this gives, in UTF-8.
 */
export class BodyWriter {
  readonly #texts = new Map<string, Kept>();
  /** Stands for a text while the rest is written; nobody can know it and have it in a text of his own. */
  readonly #mark: string = randomUUID();
  readonly #marked: RegExp = new RegExp(`"${this.#mark}(\\d+)"`);
  #bytes = 0;
  #bodies = 0;

  /** How many bytes it keeps. */
  get held(): number {
    return this.#bytes;
  }

  write(value: unknown): Buffer {
    this.#bodies += 1;
    const texts: Buffer[] = [];
    const rest = JSON.stringify(value, (_, part: unknown) => {
      if (typeof part !== "string" || part.length < LONG) return part;
      return `${this.#mark}${texts.push(this.#bytesOf(part)) - 1}`;
    });
    if (rest === undefined) throw new TypeError("What is to be sent has no JSON.");
    const parts = rest
      .split(this.#marked)
      .map((part, i) => (i % 2 === 0 ? Buffer.from(part) : (texts[Number(part)] as Buffer)));
    this.#forget();
    return Buffer.concat(parts);
  }

  #bytesOf(text: string): Buffer {
    const kept = this.#texts.get(text);
    if (kept !== undefined) {
      kept.used = this.#bodies;
      return kept.bytes;
    }
    const bytes = Buffer.from(JSON.stringify(text));
    if (this.#bytes + bytes.length > MOST_BYTES) return bytes;
    this.#bytes += bytes.length;
    this.#texts.set(text, { bytes, used: this.#bodies });
    return bytes;
  }

  /** Lets go of what the last few bodies did not have; more than one, since other requests come in between. */
  #forget(): void {
    for (const [text, { bytes, used }] of this.#texts) {
      if (this.#bodies - used < LIVES) continue;
      this.#texts.delete(text);
      this.#bytes -= bytes.length;
    }
  }
}
