/** A set of characters. `isHigh` says whether it may contain characters beyond ASCII. */
export interface Characters {
  readonly ascii: ReadonlySet<number>;
  readonly isHigh: boolean;
}

const LINE_FEED = 10;
const ASCII = Array.from({ length: 128 }, (_, code) => code);

const DIGITS = codesOf("0123456789");
const WORD = codesOf("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
const SPACE = codesOf("\t\v\f\r ");
const KELVIN_SIGN = "\u212a";
const LONG_S = "\u017f";
/** ASCII letters whose other case includes a character beyond ASCII: the Kelvin sign for K, the long s for S. */
const FOLDED = codesOf("KSks");

/** All characters that a line may contain. */
export const EVERY: Characters = { ascii: allBut(new Set()), isHigh: true };

const NAMED: Readonly<Record<string, Characters>> = {
  d: { ascii: DIGITS, isHigh: false },
  w: { ascii: WORD, isHigh: false },
  s: { ascii: SPACE, isHigh: true },
  D: { ascii: allBut(DIGITS), isHigh: true },
  W: { ascii: allBut(WORD), isHigh: true },
  S: { ascii: allBut(SPACE), isHigh: true },
};

/** Returns the characters that an escape such as `\d` matches. */
export function namedCharacters(letter: string): Characters | undefined {
  return NAMED[letter];
}

/** Returns the set with the other case of each letter, if case is ignored. May contain too much, never too little. */
export function widened({ ascii, isHigh }: Characters, ignoreCase: boolean): Characters {
  if (!ignoreCase) return { ascii, isHigh };
  const both = new Set([...ascii].flatMap(bothCases));
  if (isHigh) for (const code of FOLDED) both.add(code);
  return { ascii: both, isHigh: isHigh || [...both].some((code) => FOLDED.has(code)) };
}

/** Returns the characters that a negated class such as `[^a]` may match: all non-ASCII ones, too. */
export function negated({ ascii }: Characters, ignoreCase: boolean): Characters {
  return { ascii: allBut(ignoreCase ? new Set([...ascii].flatMap(bothCases)) : ascii), isHigh: true };
}

/** Formats a set as a pattern for single bytes; undefined if the set is empty. */
export function byteClass({ ascii, isHigh }: Characters): string | undefined {
  const codes = [...ascii].filter((code) => code !== LINE_FEED).sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const code of isHigh ? [...codes, ...Array.from({ length: 128 }, (_, high) => 128 + high)] : codes) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const [only] = ranges;
  if (only === undefined) return undefined;
  if (ranges.length === 1 && only[0] === only[1]) return hex(only[0]);
  return `[${ranges.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join("")}]`;
}

/** Formats a letter in all its cases as a pattern for bytes; undefined if all of them are ASCII. */
export function foldedLetter(code: number): string | undefined {
  const beyond = { k: KELVIN_SIGN, s: LONG_S }[String.fromCharCode(code).toLowerCase()];
  return beyond && `(?:${byteClass({ ascii: new Set(bothCases(code)), isHigh: false })}|${utf8(beyond)})`;
}

/** Formats the UTF-8 bytes of a character as a pattern. */
export function utf8(character: string): string {
  return [...Buffer.from(character)].map(hex).join("");
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

function bothCases(code: number): number[] {
  const letter = String.fromCharCode(code);
  return /[a-z]/i.test(letter) ? [...codesOf(letter.toLowerCase() + letter.toUpperCase())] : [code];
}

function codesOf(text: string): Set<number> {
  return new Set([...text].map((letter) => letter.charCodeAt(0)));
}

function allBut(left: ReadonlySet<number>): Set<number> {
  return new Set(ASCII.filter((code) => code !== LINE_FEED && !left.has(code)));
}
