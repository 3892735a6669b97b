import {
  byteClass,
  type Characters,
  EVERY,
  foldedLetter,
  namedCharacters,
  negated,
  utf8,
  widened,
} from "./byte-class.ts";

/** The most bytes of one UTF-8 character. A decoder replaces at most this many invalid bytes by one character. */
const MOST_BYTES = 4;
/** The largest repeat count that the pattern keeps; larger ones become unlimited, so that it stays small. */
const LARGEST_COUNT = 16;
const BYTE_ORDER_MARK = "\\xef\\xbb\\xbf";
const LINE_FEED = 10;
const UNKNOWN = Symbol("unknown syntax");

/**
 * Translates a pattern for text into a wider one for UTF-8 bytes; undefined if it has unknown syntax. Wherever
 * `expression` matches a line, the result matches in the bytes of that line; it may match other lines too. It never
 * matches across a line end. It works in ripgrep after `(?-u)`, and in a `RegExp` with the flag `m` on Latin-1 text.
 */
export function bytePattern(expression: RegExp): string | undefined {
  try {
    return new PatternReader(expression).read();
  } catch (thrown) {
    if (thrown === UNKNOWN) return undefined;
    throw thrown;
  }
}

/** The translation of one piece of the pattern, such as a character, a class or a group. */
interface Part {
  readonly text: string;
  /** The piece as a class of bytes such as `[a-z]`, if it matches exactly one character. */
  readonly bytes?: string;
  /** Whether a character of the class may have several bytes. */
  readonly isWide?: boolean | undefined;
}

const NOTHING: Part = { text: "" };
const CHARACTER = partOf(EVERY);
const ANYTHING: Part = { text: `${CHARACTER.bytes}*`, isWide: true };

class PatternReader {
  readonly #source: string;
  readonly #flags: Pick<RegExp, "unicode" | "ignoreCase" | "multiline">;
  #at = 0;

  constructor(expression: RegExp) {
    this.#source = expression.source;
    this.#flags = expression;
  }

  read(): string {
    const { text } = this.#alternatives();
    if (this.#at < this.#source.length) throw UNKNOWN;
    return text;
  }

  #alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return joined(parts, "|");
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !this.#sees("|") && !this.#sees(")")) parts.push(this.#repeated());
    return joined(parts, "");
  }

  #repeated(): Part {
    const part = this.#term();
    const count = this.#match(/[*+?]|\{(\d+)(,?)(\d*)\}/y);
    if (count === null) return part;
    this.#take("?");
    const [written, least, comma, most] = count;
    if (written === "?") return repeated(part, 0, 1);
    if (least === undefined) return repeated(part, written === "+" ? 1 : 0, Number.POSITIVE_INFINITY);
    const max = comma === "" ? least : most === "" ? Number.POSITIVE_INFINITY : most;
    return repeated(part, Number(least), Number(max));
  }

  #term(): Part {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return this.#class();
    if (this.#take("\\")) return this.#escape();
    if (this.#take(".")) return CHARACTER;
    // With the flag `m`, `^` and `$` also match at U+2028, where no line ends for grep. So the pattern is written
    // without them.
    if (this.#take("^")) return this.#flags.multiline ? NOTHING : { text: `^(?:${BYTE_ORDER_MARK})?` };
    if (this.#take("$")) return this.#flags.multiline ? NOTHING : { text: "\\r?$" };
    return this.#character(this.#next());
  }

  #group(): Part {
    const isLook = this.#match(/\?<?[=!]/y) !== null;
    if (!isLook && this.#match(/\?:|\?<[^>]*>/y) === null && this.#sees("?")) throw UNKNOWN;
    const inside = this.#alternatives();
    if (!this.#take(")")) throw UNKNOWN;
    if (isLook) return NOTHING;
    return inside.bytes === undefined && inside.text !== "" ? { ...inside, text: `(?:${inside.text})` } : inside;
  }

  #escape(): Part {
    const named = this.#match(/[dDwWsS]/y)?.[0];
    if (named !== undefined) return partOf(widened(namedCharacters(named) as Characters, this.#flags.ignoreCase));
    const edge = this.#match(/[bB]/y)?.[0];
    // With the flags `i` and `u`, words contain letters beyond ASCII, so `\b` and `\B` are dropped.
    if (edge !== undefined) return this.#flags.ignoreCase && this.#flags.unicode ? NOTHING : { text: `\\${edge}` };
    if (this.#match(/\d+/y) !== null) return ANYTHING;
    if ((this.#flags.unicode || this.#source.includes("(?<")) && this.#match(/k<[^>]*>/y) !== null) return ANYTHING;
    if (this.#property()) return CHARACTER;
    return this.#character(this.#escaped());
  }

  /** Reads an escape and returns the code of its character. */
  #escaped(): number {
    const control = this.#match(/c([A-Za-z])/y)?.[1];
    if (control !== undefined) return control.charCodeAt(0) % 32;
    if (this.#sees("c")) throw UNKNOWN;
    const number =
      this.#match(/x([\da-fA-F]{2})/y) ??
      this.#match(/u([\da-fA-F]{4})/y) ??
      (this.#flags.unicode ? this.#match(/u\{([\da-fA-F]+)\}/y) : null);
    if (number !== null) return Number.parseInt(number[1] as string, 16);
    const code = this.#next();
    return { t: 9, n: LINE_FEED, v: 11, f: 12, r: 13 }[String.fromCodePoint(code)] ?? code;
  }

  #character(code: number): Part {
    if (code === LINE_FEED) return NOTHING;
    // The decoder turns invalid bytes into U+FFFD, and a surrogate is half a character: either may stand for any bytes.
    if (code === 0xfffd || (code >= 0xd800 && code <= 0xdfff)) return CHARACTER;
    const text = this.#flags.ignoreCase
      ? foldedLetter(code)
      : code >= 128
        ? `(?:${utf8(String.fromCodePoint(code))})`
        : undefined;
    if (text !== undefined) return { text };
    return partOf(widened(charactersOf([code, code]), this.#flags.ignoreCase));
  }

  #class(): Part {
    const isNegated = this.#take("^");
    const ascii = new Set<number>();
    let isHigh = false;
    let isUnclear = false;
    const add = (members: Characters): void => {
      for (const code of members.ascii) ascii.add(code);
      isHigh ||= members.isHigh;
    };
    while (!this.#take("]")) {
      const first = this.#member();
      const isRange = this.#match(/-(?!\])/y) !== null;
      const last = isRange ? this.#member() : first;
      if (typeof first === "number" && typeof last === "number") add(charactersOf([first, last]));
      else {
        // A hyphen next to a class such as `\w` is literal.
        for (const member of [first, ...(isRange ? ["-".charCodeAt(0), last] : [])])
          if (typeof member === "number") add(charactersOf([member, member]));
          else add(member);
        isUnclear ||= first === EVERY || last === EVERY;
      }
    }
    // Some members of the class are not known, so the negated class may match any character.
    if (isNegated && isUnclear) return CHARACTER;
    const members = { ascii, isHigh };
    const { ignoreCase } = this.#flags;
    return partOf(isNegated ? negated(members, ignoreCase) : widened(members, ignoreCase));
  }

  #member(): number | Characters {
    if (!this.#take("\\")) return this.#next();
    const named = this.#match(/[dDwWsS]/y)?.[0];
    if (named !== undefined) return namedCharacters(named) as Characters;
    if (this.#match(/\d+/y) !== null || this.#property()) return EVERY;
    return this.#take("b") ? 8 : this.#escaped();
  }

  #property(): boolean {
    return this.#flags.unicode && this.#match(/[pP]\{[^}]*\}/y) !== null;
  }

  #next(): number {
    const code = this.#flags.unicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at);
    if (code === undefined || Number.isNaN(code)) throw UNKNOWN;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Consumes the text that `what` matches at the current position. The expression must be sticky. */
  #match(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#source);
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const isThere = this.#sees(text);
    if (isThere) this.#at += text.length;
    return isThere;
  }
}

function charactersOf([first, last]: readonly [number, number]): Characters {
  const ascii = new Set<number>();
  for (let code = first; code <= Math.min(last, 127); code++) ascii.add(code);
  return { ascii, isHigh: last >= 128 };
}

function partOf(characters: Characters): Part {
  const bytes = byteClass(characters);
  if (bytes === undefined) return NOTHING;
  return characters.isHigh ? { text: `${bytes}{1,${MOST_BYTES}}`, bytes, isWide: true } : { text: bytes, bytes };
}

function joined(parts: readonly Part[], by: string): Part {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return { text: parts.map(({ text }) => text).join(by), isWide: parts.some(({ isWide }) => isWide) };
}

function repeated(part: Part, min: number, max: number): Part {
  if (part.text === "") return NOTHING;
  const least = Math.min(min, LARGEST_COUNT);
  const most = max > LARGEST_COUNT ? Number.POSITIVE_INFINITY : max;
  if (part.bytes !== undefined) {
    const { bytes, isWide } = part;
    return { text: bytes + counted(least, isWide ? most * MOST_BYTES : most), isWide: isWide || max > min };
  }
  // Repeating bytes of variable length could match the same text in several ways, which would backtrack.
  if (part.isWide && most > 1) return ANYTHING;
  return { text: `(?:${part.text})${counted(least, most)}`, isWide: part.isWide };
}

function counted(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}
