import type { Fields } from "@hookline/ground";
import { randomUuid } from "@hookline/ground/system";

const SMALL_BYTES = 1 << 16;
/** The largest body that is kept, in bytes: about 10,000 messages. A larger one is serialized whole each time. */
const MOST_BYTES = 64 << 20;
const LIVES = 8;
/** Values nested more deeply, such as those that contain themselves, are serialized from scratch. */
const MOST_DEPTH = 256;

/** A body, ready to be sent. */
export interface WrittenBody {
  readonly bytes: Buffer;
  /** Frees the bytes for the next body. Must be called when nobody reads them any more. */
  release(): void;
}

/** A buffer that the next body may reuse. */
interface Store {
  readonly bytes: Buffer;
  /** Whether the bytes may still be read by an earlier request. */
  lent: boolean;
}

/** A body in three parts: the JSON before the items of its longest list, these items, and the JSON after them. */
interface Parted {
  readonly head: string;
  readonly items: readonly unknown[];
  readonly tail: string;
}

/** The last large body: copies of its items, and the byte offset at which each ends. */
interface Kept {
  readonly store: Store;
  readonly head: string;
  readonly items: readonly unknown[];
  readonly ends: readonly number[];
}

/**
 * Serializes request bodies as JSON. Each body usually starts with the messages of the previous one, which is kept:
 * only new messages are serialized, and appended to the existing bytes. The result is always that of `JSON.stringify`,
 * in UTF-8.
 */
export class BodyWriter {
  /** Replaces the longest list while the rest of the body is serialized; random, so that no text contains it. */
  readonly #mark: string = randomUuid();
  #kept: Kept | undefined;
  #large = false;
  /** Counts the bodies in a row that did not continue the kept one. After `LIVES` of them, that one is dropped. */
  #missed = 0;

  /** The size of the buffer that is kept with the last large body, in bytes. */
  get held(): number {
    return this.#kept?.store.bytes.length ?? 0;
  }

  write(value: unknown): WrittenBody {
    // For small bodies, serializing from scratch is faster than comparing with the previous one.
    const parted = this.#kept !== undefined || this.#large ? this.#parted(value) : undefined;
    return (parted && this.#pieced(parted)) ?? this.#whole(value);
  }

  #whole(value: unknown): WrittenBody {
    const bytes = Buffer.from(jsonOf(value));
    if (this.#kept !== undefined) this.#let(bytes.length);
    else this.#large = bytes.length >= SMALL_BYTES;
    return { bytes, release() {} };
  }

  /** Splits a body around its longest list; undefined if it has no list or is not plain data. */
  #parted(value: unknown): Parted | undefined {
    if (typeof value !== "object" || value === null || !isPlain(value) || "toJSON" in value) return undefined;
    const lists = Object.entries(value).filter((field): field is [string, unknown[]] => Array.isArray(field[1]));
    if (lists.length === 0) return undefined;
    const [name, items] = lists.reduce((one, other) => (other[1].length > one[1].length ? other : one));
    if (!isPlainList(items)) return undefined;
    const [head = "", tail = ""] = jsonOf({ ...value, [name]: this.#mark }).split(`"${this.#mark}"`);
    return { head: `${head}[`, items, tail: `]${tail}` };
  }

  /** Serializes new and changed items, and reuses the bytes of the others; undefined if an item is not plain data. */
  #pieced({ head, items, tail }: Parted): WrittenBody | undefined {
    const kept = this.#kept?.head === head ? this.#kept : undefined;
    const isKept = (i: number): boolean => kept !== undefined && i < kept.items.length && same(kept.items[i], items[i]);
    let known = 0;
    while (known < items.length && isKept(known)) known += 1;
    const start = kept?.ends[known - 1] ?? 0;
    const copies = kept?.items.slice(0, known) ?? [];
    const ends = kept?.ends.slice(0, known) ?? [];
    const parts: Buffer[] = [];
    let end = start;
    const append = (bytes: Buffer): number => {
      parts.push(bytes);
      end += bytes.length;
      return end;
    };
    if (known === 0) append(Buffer.from(head));
    for (let i = known; i < items.length; i++) {
      // A changed item does not change the following ones, so their bytes are copied.
      if (kept !== undefined && isKept(i)) {
        copies.push(kept.items[i]);
        ends.push(append(kept.store.bytes.subarray(kept.ends[i - 1], kept.ends[i])));
        continue;
      }
      const copy = copied(items[i], 0);
      if (copy === ODD) return undefined;
      copies.push(copy);
      ends.push(append(Buffer.from(`${i > 0 ? "," : ""}${JSON.stringify(items[i]) ?? "null"}`)));
    }
    const length = append(Buffer.from(tail));
    if (length < SMALL_BYTES || length > MOST_BYTES) {
      this.#let(length);
      return { bytes: Buffer.concat([...(kept ? [kept.store.bytes.subarray(0, start)] : []), ...parts]), release() {} };
    }
    const store = storeFor(this.#kept?.store, start, length);
    // Joins the parts before copying, because some of them may lie in the range that is overwritten.
    Buffer.concat(parts).copy(store.bytes, start);
    store.lent = true;
    this.#missed = 0;
    this.#kept = { store, head, items: copies, ends };
    return {
      bytes: store.bytes.subarray(0, length),
      release() {
        store.lent = false;
      },
    };
  }

  /** Drops the kept body after a large body that does not continue it, or after `LIVES` small ones. */
  #let(length: number): void {
    this.#missed += 1;
    if (length >= SMALL_BYTES || this.#missed >= LIVES) this.#kept = undefined;
    this.#large = this.#kept !== undefined;
  }
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError("The request's body cannot be written as JSON.");
  return text;
}

const ODD = Symbol("not made of plain data only");

/**
 * Copies plain lists and objects, so that nobody else can change them. Returns `ODD` for anything else that JSON may
 * write differently, such as a class instance or an object with `toJSON`, and for too deep nesting.
 */
function copied(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? ODD : value;
  if (depth > MOST_DEPTH) return ODD;
  if (Array.isArray(value)) {
    const list = value.map((item) => copied(item, depth + 1));
    return isPlainList(value) && !list.includes(ODD) ? list : ODD;
  }
  if (!isPlain(value)) return ODD;
  const record: Record<string, unknown> = { ...value };
  for (const name of Object.keys(record)) {
    const copy = copied(record[name], depth + 1);
    if (copy === ODD) return ODD;
    record[name] = copy;
  }
  return record;
}

/** Returns whether a value has the same JSON as the one that was copied. */
function same(copy: unknown, value: unknown): boolean {
  if (copy === value) return true;
  if (typeof copy !== "object" || typeof value !== "object" || copy === null || value === null) return false;
  if (Array.isArray(copy)) {
    if (!Array.isArray(value) || value.length !== copy.length || !isPlainList(value)) return false;
    for (let i = 0; i < copy.length; i++) if (!same(copy[i], value[i])) return false;
    return true;
  }
  if (Array.isArray(value) || !isPlain(value)) return false;
  const names = Object.keys(value);
  let at = 0;
  for (const name in copy) {
    if (names[at++] !== name) return false;
    if (!same((copy as Fields)[name], (value as Fields)[name])) return false;
  }
  return at === names.length;
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, "toJSON");
}

function isPlainList(value: readonly unknown[]): boolean {
  return Object.getPrototypeOf(value) === Array.prototype && !Object.hasOwn(value, "toJSON");
}

/**
 * Returns a buffer for a body of `length` bytes that already has the first `start` bytes of the last body. This is the
 * last body's buffer if it is free and large enough, otherwise a new one.
 */
function storeFor(store: Store | undefined, start: number, length: number): Store {
  if (store !== undefined && !store.lent && store.bytes.length >= length && store.bytes.length < 4 * length)
    return store;
  const bytes = Buffer.allocUnsafeSlow(Math.min(length + (length >> 2), MOST_BYTES));
  store?.bytes.copy(bytes, 0, 0, start);
  return { bytes, lent: false };
}
