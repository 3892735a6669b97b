import { createHmac, randomBytes, randomInt } from "node:crypto";
import { strengthOf } from "./names.ts";
import { isHarmless, isRandom, isWords } from "./value.ts";

/** Minimum length of a secret value, in characters: shorter values may be ordinary words. */
const SHORTEST = 8;
const LONGEST = 8_192;
const MASK = 0xffff;

interface Entry {
  /** Name of the variable that has the value. */
  readonly name: string;
  readonly length: number;
  readonly digest: string;
  /** The digest of the variable's value; `digest` may be that of an encoded form of it, such as base64. */
  readonly of: string;
}

/** A known value found in a text, with its position. */
export interface KnownFound {
  readonly name: string;
  /** The digest of the variable's value, the same for every encoded form in which the value is found. */
  readonly of: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The secret values of this machine. Only their lengths and keyed digests are held, with a key made for each instance,
 * and nothing is written.
 */
export class KnownSecrets {
  readonly #key = randomBytes(32);
  /** The base of the rolling hash; a random odd number. */
  readonly #base = randomInt(1, 0x7fff_ffff) | 1;
  readonly #entries = new Map<number, Entry[]>();
  readonly #filter = new Uint8Array(MASK + 1);
  readonly #digests = new Set<string>();
  /** Whether one of the values has a blank among its first `SHORTEST` characters. */
  #hasBlanks = false;
  /** Whether one of the values has characters with a special meaning in strings and URLs. */
  #hasEscapes = false;

  get size(): number {
    return this.#digests.size;
  }

  /** Whether decoding a text may destroy a value, so that the original text must be searched too. */
  get hasEscapes(): boolean {
    return this.#hasEscapes;
  }

  /** Adds a value under its variable's name, in each form that texts may show. Ignores values that are too short. */
  add(name: string, value: string): void {
    if (value.length < SHORTEST || value.length > LONGEST) return;
    const of = this.digest(value);
    if (this.#digests.has(of)) return;
    this.#digests.add(of);
    this.#hasBlanks ||= /[\x00-\x20]/.test(value.slice(0, SHORTEST));
    this.#hasEscapes ||= /[^\w.~!@#$^*()=?<>,:;-]/.test(value);
    for (const form of new Set([value, ...formsOfValue(value)])) if (form.length >= SHORTEST) this.#add(name, form, of);
  }

  /** Adds the variables of a text such as an `.env` file whose values are secret. */
  addFile(text: string): void {
    for (const [, name = "", value = ""] of text.matchAll(LINE)) {
      const plain = /^(["'`])([\s\S]*)\1$/.exec(value)?.[2] ?? value.replace(/\s+#.*$/, "").trim();
      this.addVariable(name, plain);
    }
  }

  /** Adds a variable if its name or its value shows that it is secret; of a URL, only the password. */
  addVariable(name: string, value: string): void {
    const password = /^[\w+.-]+:\/\/[^\s/:@]*:([^\s@]+)@/.exec(value)?.[1];
    if (password !== undefined && !isHarmless(password) && !isWords(password)) this.add(name, password);
    if (isHarmless(value) || isWords(value) || /^(?:[\d.:-]+|[^\n]*[ :]\/?[^\n]*)$/.test(value)) return;
    if (strengthOf(name) !== undefined || isRandom(value)) this.add(name, value);
  }

  /** Returns the keyed digest of a value. */
  digest(value: string): string {
    return createHmac("sha256", this.#key).update(value).digest("base64");
  }

  #add(name: string, form: string, of: string): void {
    let sum = 0;
    for (let at = 0; at < SHORTEST; at++) sum = (Math.imul(sum, this.#base) + form.charCodeAt(at)) | 0;
    const entries = this.#entries.get(sum) ?? [];
    entries.push({ name, length: form.length, digest: this.digest(form), of });
    entries.sort((a, b) => b.length - a.length);
    this.#entries.set(sum, entries);
    this.#filter[(sum ^ (sum >>> 16)) & MASK] = 1;
  }

  /**
   * Finds every known value in a text, in one pass. `isLate` is called now and then to decide whether to stop; `to` is
   * where the search ended.
   */
  find(text: string, isLate = (): boolean => false): { readonly found: KnownFound[]; readonly to: number } {
    const found: KnownFound[] = [];
    if (this.#entries.size === 0) return { found, to: text.length };
    const base = this.#base;
    const filter = this.#filter;
    const blank = this.#hasBlanks ? -1 : 32;
    let power = 1;
    for (let at = 1; at < SHORTEST; at++) power = Math.imul(power, base);
    let tried = 0;
    let start = 0;
    while (start + SHORTEST <= text.length) {
      // Skips starts less than `SHORTEST` characters before a blank: no value without blanks can begin there.
      let probe = start + SHORTEST - 1;
      while (probe >= start && text.charCodeAt(probe) > blank) probe -= 1;
      if (probe >= start) {
        start = probe + 1;
        continue;
      }
      let sum = 0;
      for (let at = start; at < start + SHORTEST; at++) sum = (Math.imul(sum, base) + text.charCodeAt(at)) | 0;
      for (;;) {
        if (filter[(sum ^ (sum >>> 16)) & MASK] !== 0) {
          const one = this.#at(text, start, this.#entries.get(sum) ?? []);
          tried += 1;
          if (one !== undefined) {
            found.push(one);
            start = one.end;
            break;
          }
          // Each possible beginning of a value costs a digest, so the time is checked after every 64 of them.
          if (tried % 64 === 0 && isLate()) return { found, to: start };
        }
        const next = text.charCodeAt(start + SHORTEST);
        if (!(next > blank)) {
          start += 1;
          break;
        }
        sum = (Math.imul((sum - Math.imul(text.charCodeAt(start), power)) | 0, base) + next) | 0;
        start += 1;
      }
    }
    return { found, to: text.length };
  }

  /** Returns the known value at a position; the longest if there are several. */
  #at(text: string, start: number, entries: readonly Entry[]): KnownFound | undefined {
    for (const { name, length, digest, of } of entries) {
      const end = start + length;
      if (end <= text.length && this.digest(text.slice(start, end)) === digest) return { name, of, start, end };
    }
    return undefined;
  }
}

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*("(?:[^"\\]|\\[\s\S])*"|'[^']*'|`[^`]*`|[^\n\r]*)/gm;

/** Returns the encoded forms in which a text may show a value. */
function formsOfValue(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
  ];
  // In base64, the encoding of a value depends on its offset modulo 3; its first and last characters depend on the
  // neighbours.
  for (let offset = 0; offset < 3; offset++) {
    const coded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const isCut = (bytes.length + offset) % 3 !== 0;
    const inner = coded.slice(offset === 0 ? 0 : offset + 1, isCut ? -1 : undefined);
    forms.push(inner, inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}
