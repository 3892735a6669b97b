import { randomUUID } from "node:crypto";

const LONG = 256;
const SMALL_BYTES = 1 << 16;
/** Enough for a conversation of about 10,000 messages; a larger body is serialized from scratch each time. */
const MOST_BYTES = 64 << 20;
const LIVES = 8;

/** A body, ready to be sent. */
export interface WrittenBody {
  readonly bytes: Buffer;
  /** Must be called when the bytes are no longer read: the next body may then overwrite them. */
  release(): void;
}

/** A buffer for bodies. */
interface Store {
  readonly bytes: Buffer;
  /** Whether it may still be read. */
  lent: boolean;
}

/** The last large body: its long texts, the JSON between them, and the byte offset at which each text ends. */
interface Kept {
  readonly store: Store;
  readonly texts: readonly string[];
  /** One item more than there are texts. */
  readonly between: readonly string[];
  readonly ends: readonly number[];
  readonly length: number;
}

/**
 * Serializes request bodies as JSON. Each body usually starts like the previous one, which is kept: only what is new is
 * serialized, and appended to the existing bytes. The result is always the same as that of `JSON.stringify`, in UTF-8.
 */
export class BodyWriter {
  /** Placeholder for a text while the rest is serialized; nobody can know it, so no text can contain it. */
  readonly #mark: string = randomUUID();
  #kept: Kept | undefined;
  #large = false;
  /** Number of small bodies since the last large one. */
  #missed = 0;

  /** Number of bytes that are kept. */
  get held(): number {
    return this.#kept?.store.bytes.length ?? 0;
  }

  write(value: unknown): WrittenBody {
    return this.#kept === undefined && !this.#large ? this.#whole(value) : this.#pieced(value);
  }

  /** For small bodies, serializing from scratch is faster than comparing with the previous one. */
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
    // The remaining parts may lie in the buffer's target range.
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

  /** Other requests come in between; after several of them the last large body is unlikely to be continued. */
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

/** The number of texts, with the JSON before each, that are the same as in the last body. */
function alikeUpTo(kept: Kept, texts: readonly string[], between: readonly string[]): number {
  let same = 0;
  while (same < texts.length && kept.texts[same] === texts[same] && kept.between[same] === between[same]) same += 1;
  return same;
}

/** The bytes after the first `same` texts, and where each text and the whole end. Bytes of known texts are copied. */
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

/**
 * The buffer for a body of this length that starts like the last one: the same buffer, if it is not being read and has
 * room.
 */
function storeFor(kept: Kept | undefined, start: number, length: number): Store {
  const { store } = kept ?? {};
  if (store !== undefined && !store.lent && store.bytes.length >= length && store.bytes.length < 4 * length)
    return store;
  const bytes = Buffer.allocUnsafeSlow(Math.min(length + (length >> 2), MOST_BYTES));
  store?.bytes.copy(bytes, 0, 0, start);
  return { bytes, lent: false };
}
