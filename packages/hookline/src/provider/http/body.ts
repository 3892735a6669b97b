import { randomUUID } from "node:crypto";

const LONG = 256;
const SMALL_BYTES = 1 << 16;
const MOST_BYTES = 16 << 20;
const LIVES = 8;

interface Kept {
  readonly text: string;
  readonly bytes: Buffer;
  /** The body that last had it, by its number. */
  used: number;
}

/**
 * Writes bodies of requests as JSON. Each has nearly all the texts of the one before, whose bytes are kept: what a body
 * costs is what is new in it. What `JSON.stringify` gives for a value is what this gives, in UTF-8.
 */
export class BodyWriter {
  /** By a few of their characters: comparing a long text costs less than the hash of all of it. */
  readonly #texts = new Map<number, Kept[]>();
  /** Stands for a text while the rest is written; nobody can know it and have it in a text of his own. */
  readonly #mark: string = randomUUID();
  readonly #marked: RegExp = new RegExp(`"${this.#mark}(\\d+)"`);
  #bytes = 0;
  #bodies = 0;
  #lastBytes = 0;

  /** How many bytes it keeps. */
  get held(): number {
    return this.#bytes;
  }

  write(value: unknown): Buffer {
    const written = this.#lastBytes < SMALL_BYTES ? this.#whole(value) : this.#pieced(value);
    this.#lastBytes = written.length;
    return written;
  }

  /** While bodies are small it is quicker to write each anew than to look for what it has of the one before. */
  #whole(value: unknown): Buffer {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError("What is to be sent has no JSON.");
    return Buffer.from(text);
  }

  #pieced(value: unknown): Buffer {
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
    const key = keyOf(text);
    const alike = this.#texts.get(key) ?? [];
    const kept = alike.find((one) => one.text === text);
    if (kept !== undefined) {
      kept.used = this.#bodies;
      return kept.bytes;
    }
    const bytes = Buffer.from(JSON.stringify(text));
    if (this.#bytes + bytes.length > MOST_BYTES) return bytes;
    this.#bytes += bytes.length;
    alike.push({ text, bytes, used: this.#bodies });
    this.#texts.set(key, alike);
    return bytes;
  }

  /** Lets go of what the last few bodies did not have; more than one, since other requests come in between. */
  #forget(): void {
    for (const [key, alike] of this.#texts) {
      const still = alike.filter(({ used }) => this.#bodies - used < LIVES);
      if (still.length === alike.length) continue;
      for (const { bytes, used } of alike) if (this.#bodies - used >= LIVES) this.#bytes -= bytes.length;
      if (still.length === 0) this.#texts.delete(key);
      else this.#texts.set(key, still);
    }
  }
}

/** Of the length and of characters at the beginning, in the middle and at the end. */
function keyOf(text: string): number {
  let key = text.length;
  for (const at of [0, text.length >> 1, text.length - 8])
    for (let i = at; i < at + 8; i++) key = (Math.imul(key, 31) + text.charCodeAt(i)) | 0;
  return key;
}
