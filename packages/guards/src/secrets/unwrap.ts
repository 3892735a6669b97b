/** A text without escapes, line numbers, diff marks and the like, with a mapping to the original. */
export interface Unwrapped {
  readonly text: string;
  /** Returns the range in the original text that corresponds to a range in this text. */
  range(start: number, end: number): readonly [start: number, end: number];
}

/** Matches a text with a diff. */
const DIFF = /^[ \t\d|→│:]*(?:@@ |diff |\+\+\+ |--- |[+-]-----(?:BEGIN|END))/m;
/** Every text that {@link DIFF} matches contains one of these; searching for them first is faster. */
const DIFF_MARKS = ["@@ ", "diff ", "+++ ", "--- ", "------BEGIN", "+-----BEGIN", "------END", "+-----END"];

const ESCAPE =
  "(?:\\x1b|\\\\(?:u001[bB]|x1[bB]|033|e))\\[[0-?]{0,64}[ -/]{0,4}[@-~]|\\x1b\\][^\\x07\\x1b]{0,512}(?:\\x07|\\x1b\\\\)|\\x1b[()][A-Z0-9]|\\^\\[\\[[\\d;]{0,32}[mK]";
/** Matches characters that a screen does not show, also those between the characters of UTF-16. */
const INVISIBLE = "\\0(?=[\\x20-\\x7e]\\0)|(?<=\\0[\\x20-\\x7e])\\0|[\\u00ad\\u200b-\\u200d\\u2060\\ufeff]|[^\\n]\\x08";
const CONTINUED = "\\\\\\r?\\n(?:[ \\t]{1,200}(?=[A-Za-z0-9]))?";
const DECODED =
  "\\\\{1,3}(?:(?:u00|x)[2-7][0-9a-fA-F]|[nrt\"'/])|%[2-7][0-9a-fA-F]|&(?:quot|amp|apos|lt|gt|#39|#x27|#61|#x3[dD]);";
/** Matches a line break between two pieces of a string. */
const BREAK = "(?:\\\\?\\r?\\n|\\\\{1,3}n)[ \\t]{0,200}";
const QUOTE = "\\\\{0,3}[\"'`]";
const PLUS = "(?:\\+\\+?|\\.\\.?|&|<>|\\|\\|)";
const JOINED = `${QUOTE}(?<=[\\w/+=.-]{3}${QUOTE})(?:[ \\t]{0,8}${PLUS}[ \\t]{0,8}(?:_?${BREAK})?|[ \\t]{0,8}${BREAK}(?:${PLUS}[ \\t]{0,8})?|(?<=[_-]["'\`])[ \\t]{1,8})?${QUOTE}(?=[\\w/+=.-]{2})`;
const EMPTY = `(?:\\\\{0,3}"\\\\{0,3}"|'')`;
/** Matches what is between two strings of a list that the code joins without a separator. */
const LISTED = `${QUOTE},\\s{0,80}${QUOTE}(?:(?=[^\\[\\]()]{0,600}\\]\\s{0,80}\\.join\\(${EMPTY}\\))|(?<=${EMPTY}\\.join\\([\\[(][^\\[\\]()]{0,600}))`;
const NUMBER =
  "^[ \\t]{0,12}\\d{1,7}(?:\\t|→|[ ]?[|│:→]|[ ]{1,3}(?=[ +-]?[A-Za-z0-9+/=-]{5}))|^(?!xox)[\\w./-]{1,200}[:-]\\d{1,7}[:-](?=[ \\t]{0,40}(?:-----|[A-Za-z0-9+/=]{16,200}[ \\t]{0,4}$))|^[│|┃]|^[<>](?= )";

/** Matches the mark at the beginning of a changed line in a diff. */
const MARK = "(?:\\+(?!\\+\\+ )|-(?=-----(?:BEGIN|END)|[^-]))";

/** Parts of a text to remove or decode, such as escapes, each with a quick test whether a text may have any. */
const KINDS: readonly (readonly [source: string, isThere: (text: string, isDiff: boolean) => boolean])[] = [
  [`^(?:${ESCAPE}){1,4}${MARK}`, (text, isDiff) => isDiff && hasEscapes(text)],
  [ESCAPE, hasEscapes],
  [INVISIBLE, (text) => /\0.\0|[\u00ad\u200b-\u200d\u2060\ufeff\x08]/.test(text)],
  [JOINED, (text) => JOINS.test(text)],
  [LISTED, (text) => text.includes(".join(") && LISTS.test(text)],
  [`${CONTINUED}|${DECODED}`, (text) => /[\\%&]/.test(text)],
  [`(?:${NUMBER}) ?${MARK}?|^${MARK}`, (_, isDiff) => isDiff],
  [NUMBER, (text, isDiff) => !isDiff && MAY_BE_NUMBERED.test(`\n${text}`) && NUMBERED.test(text)],
];
const JOINS = new RegExp(JOINED);
const LISTS = new RegExp(LISTED);
const NUMBERED = new RegExp(NUMBER, "m");
/** Matches every text that {@link NUMBERED} matches, and is faster. */
const MAY_BE_NUMBERED = /\n[ \t]{0,12}\d|[:-]\d{1,7}[:-]|\n[│|┃<>]/;
const compiled = new Map<string, RegExp>();

function hasEscapes(text: string): boolean {
  return text.includes("\x1b") || text.includes("^[[") || /\\(?:u001|x1|033|e)/.test(text);
}

/** Returns the expression for all parts to remove or decode in a text; `undefined` if there are none. */
function partsOf(text: string): RegExp | undefined {
  const isDiff = DIFF_MARKS.some((mark) => text.includes(mark)) && DIFF.test(text);
  const source = KINDS.flatMap(([one, isThere]) => (isThere(text, isDiff) ? [one] : [])).join("|");
  if (source === "") return undefined;
  const known = compiled.get(source) ?? new RegExp(source, "gm");
  compiled.set(source, known);
  return known;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&amp;": "&",
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&lt;": "<",
  "&gt;": ">",
};
const BLANKS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/**
 * Removes what a screen, a tool or a programming language adds between the characters of a text: escape sequences, line
 * numbers, diff marks, line continuations, joints between string literals. Decodes the escapes of JSON, URLs and HTML.
 */
export function unwrapped(text: string): Unwrapped {
  const parts = partsOf(text);
  if (parts === undefined) return { text, range: (start, end) => [start, end] };
  // Each piece of the clean text begins at `starts[i]`, and corresponds to `places[i]` to `ends[i]` of the original.
  const starts: number[] = [0];
  const places: number[] = [0];
  const ends: number[] = [];
  let clean = "";
  let done = 0;
  for (const { 0: part, index } of text.matchAll(parts)) {
    clean += text.slice(done, index);
    ends.push(index);
    done = index + part.length;
    const put = decoded(part);
    if (put !== "") {
      starts.push(clean.length);
      places.push(index);
      ends.push(done);
      clean += put;
    }
    starts.push(clean.length);
    places.push(done);
  }
  clean += text.slice(done);
  ends.push(text.length);
  const pieceAt = (at: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const placeOf = (at: number): number => {
    const piece = pieceAt(at);
    return Math.min((places[piece] as number) + at - (starts[piece] as number), ends[piece] as number);
  };
  const endOf = (at: number): number => {
    const piece = pieceAt(at - 1);
    const isWhole = at === (starts[piece + 1] ?? -1);
    return isWhole ? (ends[piece] as number) : (places[piece] as number) + at - (starts[piece] as number);
  };
  return { text: clean, range: (start, end) => [placeOf(start), endOf(end)] };
}

/** Returns the decoded text of a part; empty for a part to remove. */
function decoded(part: string): string {
  const entity = ENTITIES[part];
  if (entity !== undefined) return entity;
  if (part.startsWith("&")) return "=";
  if (/^%[2-7]/.test(part)) return String.fromCharCode(Number.parseInt(part.slice(1), 16));
  const [, code, letter] = /^\\{1,3}(?:(?:u00|x)([2-7][0-9a-fA-F])|([nrt"'/]))$/.exec(part) ?? [];
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  // Three backslashes and an `n` are a line continuation within a JSON string.
  if (letter === undefined || part === "\\\\\\n") return "";
  return BLANKS[letter] ?? letter;
}
