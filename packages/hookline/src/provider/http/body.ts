import { randomUUID } from "node:crypto";

const LONG = 256;
const SMALL_BYTES = 1 << 16;
const MOST_BYTES = 16 << 20;
const LIVES = 8;

/** A body as it is sent. */
export interface WrittenBody {
  readonly bytes: Buffer;
  /** Must be called when nobody reads the bytes any more: the next body may then be written over them. */
  release(): void;
}

/** Memory that bodies are written to. */
interface Store {
  readonly bytes: Buffer;
  /** Somebody may still read it. */
  lent: boolean;
}

/** The last large body: its long texts, what stands between them, and where each text ends among the bytes. */
interface Kept {
  readonly store: Store;
  readonly texts: readonly string[];
  /** One more than there are texts. */
  readonly between: readonly string[];
  readonly ends: readonly number[];
  readonly length: number;
}

/**
 * Writes bodies of requests as JSON. Each begins as the one before, which is kept: what a body costs is what is new in
 * it, and its bytes are put behind those that are there. What `JSON.stringify` gives for a value is what this gives, in
 * UTF-8.
 */
export class BodyWriter {
  /** Stands for a text while the rest is written; nobody can know it and have it in a text of his own. */
  readonly #mark: string = randomUUID();
  #kept: Kept | undefined;
  #large = false;
  /** Small bodies since the last large one. */
  #missed = 0;

  /** How many bytes it keeps. */
  get held(): number {
    return this.#kept?.store.bytes.length ?? 0;
  }

  write(value: unknown): WrittenBody {
    return this.#kept === undefined && !this.#large ? this.#whole(value) : this.#pieced(value);
  }

  /** While bodies are small it is quicker to write each anew than to look for what it has of the one before. */
  #whole(value: unknown): WrittenBody {
    const bytes = Buffer.from(jsonOf(value));
    this.#large = bytes.length >= SMALL_BYTES;
    return { bytes, release() {} };
  }

  #pieced(value: unknown): WrittenBody {
    const texts: string[] = [];
    const rest = jsonOf(value, (_, part) => {
      if (typeof part !== "string" || part.length < LONG) return part;
      texts.push(part);
      return this.#mark;
    });
    const between = rest.split(`"${this.#mark}"`);
    const kept = this.#kept;
    const same = kept === undefined ? 0 : alikeUpTo(kept, texts, between);
    const start = kept?.ends[same - 1] ?? 0;
    const { parts, ends } = restOf(kept, same, texts, between);
    const length = ends.at(-1) ?? 0;
    if (length < SMALL_BYTES || length > MOST_BYTES) {
      this.#let(length);
      return { bytes: Buffer.concat([...(kept ? [kept.store.bytes.subarray(0, start)] : []), ...parts]), release() {} };
    }
    const store = storeFor(kept, start, length);
    // What follows may lie where it is to be written.
    Buffer.concat(parts).copy(store.bytes, start);
    store.lent = true;
    this.#missed = 0;
    this.#kept = { store, texts, between, ends: [...(kept?.ends.slice(0, same) ?? []), ...ends.slice(0, -1)], length };
    return {
      bytes: store.bytes.subarray(0, length),
      release() {
        store.lent = false;
      },
    };
  }

  /** Other requests come in between; after some of them the last large body will not come again. */
  #let(length: number): void {
    this.#missed += 1;
    if (length >= SMALL_BYTES || this.#missed >= LIVES) this.#kept = undefined;
    this.#large = this.#kept !== undefined;
  }
}

function jsonOf(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer) as string | undefined;
  if (text === undefined) throw new TypeError("What is to be sent has no JSON.");
  return text;
}

/** How many texts, with what stands before each, are those of the last body. */
function alikeUpTo(kept: Kept, texts: readonly string[], between: readonly string[]): number {
  let same = 0;
  while (same < texts.length && kept.texts[same] === texts[same] && kept.between[same] === between[same]) same += 1;
  return same;
}

/** The bytes behind the first `same` texts, and where each text, and the whole, ends. Those that were known are copied. */
function restOf(kept: Kept | undefined, same: number, texts: readonly string[], between: readonly string[]) {
  const known = new Map<string, Buffer>();
  for (let i = same; kept !== undefined && i < kept.texts.length; i++) {
    const end = kept.ends[i] as number;
    const from = (kept.ends[i - 1] ?? 0) + Buffer.byteLength(kept.between[i] as string);
    known.set(kept.texts[i] as string, kept.store.bytes.subarray(from, end));
  }
  const parts: Buffer[] = [];
  const ends: number[] = [];
  let end = kept?.ends[same - 1] ?? 0;
  for (let i = same; i < between.length; i++) {
    const text = texts[i];
    const before = Buffer.from(between[i] as string);
    parts.push(before);
    end += before.length;
    if (text !== undefined) {
      const bytes = known.get(text) ?? Buffer.from(JSON.stringify(text));
      parts.push(bytes);
      end += bytes.length;
    }
    ends.push(end);
  }
  return { parts, ends };
}

/** Where a body of a length is written that begins as the last one does: there, if nobody reads it and it has room. */
function storeFor(kept: Kept | undefined, start: number, length: number): Store {
  const { store } = kept ?? {};
  if (store !== undefined && !store.lent && store.bytes.length >= length && store.bytes.length < 4 * length)
    return store;
  const bytes = Buffer.allocUnsafeSlow(Math.min(length + (length >> 2), MOST_BYTES));
  store?.bytes.copy(bytes, 0, 0, start);
  return { bytes, lent: false };
}
