import { setField } from "../lens/clone.ts";
import { lineAt, type RecordingBytes } from "./lines.ts";
import { AT, isEscaped, LIST, unescaped } from "./names.ts";

type Fields = Record<string, unknown>;

/** The size of the cache of values, in characters of their lines. */
const CACHED_CHARS = 4 * 1024 * 1024;

/**
 * The limit of a line with everything that it refers to, in characters. A few lines that each refer twice to the one
 * before would otherwise exceed any machine's memory.
 */
const MOST_CHARS = 1 << 28;
/** The characters that each reference counts for by itself, so that many short ones reach the limit too. */
const REFERENCE_CHARS = 64;

/** The position of a reference in the file. */
interface ReferencePosition {
  /** The byte offset of the line with the reference; what it refers to must be before that. */
  readonly before: number;
  /** The number to add to an offset in a reference to get the offset in the file. */
  readonly shift: number;
}

interface Known {
  readonly value: unknown;
  readonly cost: number;
  /** The size in characters of the value and everything that it refers to. */
  readonly all: number;
}

interface Continued {
  readonly list: number;
  readonly keep: number;
  readonly push: readonly unknown[];
}

/** Replaces references in a line by their values. Lines with the same reference share its value: never change one. */
export class Resolver {
  readonly #bytes: RecordingBytes;
  /** Values by byte offset, the one used last at the end. */
  readonly #cache = new Map<number, Known>();
  #cost = 0;
  /** The size of the line that is being resolved, in characters so far. */
  #chars = 0;

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes;
  }

  /**
   * Caches the value of a line that the reader has just parsed, because later lines may refer to it. Throws if a
   * reference in it cannot be resolved.
   */
  pass(line: Fields, at: number, shift: number, chars: number): void {
    this.#chars = chars;
    this.#keep(at, this.#valueOf(line, { before: at, shift }), { chars, all: this.#chars });
  }

  /**
   * Resolves everything that a value refers to; the value is changed. Throws if a reference has no target, or if the
   * result is too large.
   */
  resolve(value: unknown, place: ReferencePosition): unknown {
    this.#chars = 0;
    return this.#resolve(value, place);
  }

  #resolve(value: unknown, place: ReferencePosition): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i];
        if (typeof item === "object" && item !== null) value[i] = this.#resolve(item, place);
      }
      return value;
    }
    const record = value as Fields;
    if (Object.hasOwn(record, AT)) return this.#at(record[AT], place);
    if (Object.hasOwn(record, LIST)) return this.#list(record, place);
    const names = Object.keys(record);
    let isPlain = true;
    for (const name of names) {
      const field = record[name];
      if (typeof field === "object" && field !== null) setField(record, name, this.#resolve(field, place));
      if (isEscaped(name)) isPlain = false;
    }
    if (isPlain) return record;
    return Object.fromEntries(names.map((name) => [unescaped(name), record[name]]));
  }

  #at(written: unknown, { before, shift }: ReferencePosition): unknown {
    const at = numberOf(written) + shift;
    const known = this.#cached(at);
    if (known !== undefined) return known.value;
    const start = this.#chars;
    const { line, chars } = this.#read(at, before, shift);
    this.#add(chars);
    const value = this.#valueOf(line, { before: at, shift });
    this.#keep(at, value, { chars, all: this.#chars - start });
    return value;
  }

  #valueOf(line: Fields, place: ReferencePosition): unknown {
    const { value } = line;
    return isContinued(value) ? this.#list(value, place) : this.#resolve(value, place);
  }

  /** Returns a list that continues earlier ones. Loops, because thousands of lists may continue each other. */
  #list(record: Fields, { before, shift }: ReferencePosition): unknown[] {
    const chain: { readonly step: Continued; readonly before: number; readonly chars: number }[] = [];
    const start = this.#chars;
    let list: readonly unknown[] | undefined;
    for (let step = continuedOf(record), end = before, chars = 0; list === undefined; ) {
      chain.push({ step, before: end, chars });
      const at = step.list + shift;
      const known = this.#cached(at);
      if (known !== undefined) list = listOf(known.value);
      else {
        const read = this.#read(at, end, shift);
        if (isContinued(read.line["value"])) {
          step = continuedOf(read.line["value"]);
          end = at;
          chars = read.chars;
        } else list = listOf(this.#at(step.list, { before: end, shift }));
      }
    }
    for (const { step, before, chars } of chain.reverse()) {
      if (step.keep > list.length) throw new Unresolved();
      // Items of the earlier list that the new one does not keep do not count towards the size.
      this.#chars = start + (this.#chars - start) * (step.keep / Math.max(list.length, 1));
      this.#add(chars);
      list = [...list.slice(0, step.keep), ...(this.#resolve(step.push, { before, shift }) as unknown[])];
    }
    return list as unknown[];
  }

  #read(at: number, before: number, shift: number): { readonly line: Fields; readonly chars: number } {
    if (at < 0 || at >= before) throw new Unresolved();
    const text = lineAt(this.#bytes, at);
    const line = text === undefined ? undefined : recordOf(text);
    if (line === undefined || line["at"] !== at - shift || !("value" in line)) throw new Unresolved();
    return { line, chars: (text as string).length };
  }

  #add(chars: number): void {
    this.#chars += chars + REFERENCE_CHARS;
    if (this.#chars > MOST_CHARS) throw new Unresolved();
  }

  #cached(at: number): Known | undefined {
    const known = this.#cache.get(at);
    if (known === undefined) return undefined;
    this.#add(known.all);
    this.#cache.delete(at);
    this.#cache.set(at, known);
    return known;
  }

  #keep(at: number, value: unknown, { chars, all }: { readonly chars: number; readonly all: number }): void {
    // A list's array needs memory for each item, even if few of the items are new.
    const cost = chars + (Array.isArray(value) ? value.length * 8 : 0);
    this.#cost += cost - (this.#cache.get(at)?.cost ?? 0);
    this.#cache.delete(at);
    this.#cache.set(at, { value, cost, all });
    for (const [oldest, { cost: freed }] of this.#cache) {
      if (this.#cost <= CACHED_CHARS || oldest === at) break;
      this.#cache.delete(oldest);
      this.#cost -= freed;
    }
  }
}

/** Thrown for a reference without a target, or to something that cannot be read. */
class Unresolved extends Error {
  constructor() {
    super("it refers to a value that cannot be read where it was written; the file has been changed since");
  }
}

/** Returns the JSON object on a line; `undefined` if there is none. */
export function recordOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function isContinued(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.hasOwn(value, LIST);
}

function continuedOf(record: Fields): Continued {
  const { keep, push } = record;
  if (!Array.isArray(push)) throw new Unresolved();
  return { list: numberOf(record[LIST]), keep: numberOf(keep), push };
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unresolved();
  return value as readonly unknown[];
}

function numberOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Unresolved();
  return value;
}
