import * as fc from "fast-check";

/** Characters that engines treat differently: letters with odd cases, halves of a pair, ends of lines of other systems. */
const CHARACTERS = [
  "a",
  "b",
  "k",
  "S",
  "s",
  "0",
  "_",
  "-",
  " ",
  "\t",
  "é",
  "É",
  "ß",
  "ſ",
  "K",
  "İ",
  "👍",
  "\u2028",
  "\uFFFD",
];
const ESCAPES = [
  "\\d",
  "\\D",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "\\x61",
  "\\u00e9",
  "\\t",
  "\\r",
  "\\n",
  "\\0",
  "\\.",
  "\\/",
];
const EDGES = ["^", "$", "\\b", "\\B", "(?=a)", "(?!a)", "(?<=s)", "(?<!s)"];
const COUNTS = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{17}"];
const FLAGS = ["", "u", "i", "iu", "s", "su", "m", "mu", "imsu"];

const classes = fc
  .tuple(
    fc.constantFrom("", "^"),
    fc.array(fc.constantFrom("a", "k", "S", "é", "ſ", "a-c", "à-ÿ", "\\d", "\\W", "\\w", "\\s", "\\b", "\\n", "_"), {
      maxLength: 3,
    }),
  )
  .map(([sign, members]) => `[${sign}${members.join("")}]`);

const { source } = fc.letrec<{ source: string; term: string }>((tie) => ({
  source: fc.oneof(
    { weight: 6, arbitrary: fc.array(tie("term"), { minLength: 1, maxLength: 4 }).map((terms) => terms.join("")) },
    { weight: 1, arbitrary: fc.tuple(tie("source"), tie("source")).map((both) => both.join("|")) },
  ),
  term: fc
    .tuple(
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 6, arbitrary: fc.constantFrom(...CHARACTERS) },
        { weight: 3, arbitrary: fc.constantFrom(...ESCAPES, ".") },
        { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
        { weight: 3, arbitrary: classes },
        { weight: 2, arbitrary: tie("source").map((inside) => `(${inside})`) },
        { weight: 1, arbitrary: tie("source").map((inside) => `(?:${inside})\\1`) },
      ),
      fc.constantFrom(...COUNTS),
    )
    .map(([term, count]) => (EDGES.includes(term) ? term : term + count)),
}));

/** Patterns that can be compiled, with every set of flags that a search may have. */
export const regexes: fc.Arbitrary<RegExp> = fc
  .tuple(source, fc.constantFrom(...FLAGS))
  .map(([written, flags]) => compiled(written, flags))
  .filter((expression) => expression !== undefined);

function compiled(written: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(written, flags);
  } catch {
    return undefined;
  }
}

/** Short contents of files: lines that end in both ways, marks in front, bytes that are no characters. */
export const texts: fc.Arbitrary<Buffer> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...CHARACTERS).map((text) => Buffer.from(text)) },
      { weight: 2, arbitrary: fc.constantFrom("\n", "\r\n", "\r").map((text) => Buffer.from(text)) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom([0xff], [0xe2, 0x82], [0xc3], [0xf0, 0x9f], [0xef, 0xbb, 0xbf])
          .map((bytes) => Buffer.from(bytes)),
      },
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));
