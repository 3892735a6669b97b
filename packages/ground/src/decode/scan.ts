/** The problem of an invalid JSON text, and its position. */
export interface Flaw {
  readonly kind: "syntax" | "too-deep";
  /** The position, counted from 0 in UTF-16 units. */
  readonly offset: number;
}

/** The deepest nesting of JSON that any caller can allow. */
export const MOST_DEPTH = 1000;

/** The result of checking a JSON text. */
export interface Scan {
  readonly flaw?: Flaw;
  /** JSON pointers of names that occur twice in an object, in the order of their second occurrence. At most 100. */
  readonly duplicates: readonly string[];
}

interface Open {
  /** The names of the object's members so far; absent for a list. */
  readonly names?: Set<string>;
  /** The name of the current member, or the index of the current item. */
  at: string | number;
}

type Expect = "value" | "value-or-end" | "name" | "name-or-end" | "colon" | "comma-or-end" | "nothing";

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORDS: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
const ESCAPES = '"\\/bfnrt';
const NOT_PLAIN = /[\\\u0000-\u001f]/;
const HEX = /[0-9a-fA-F]{4}/y;
const MAX_DUPLICATES = 100;

/**
 * Checks a text against the JSON grammar (RFC 8259) without building any value and without recursion. `onValue` is
 * called with the JSON pointer and the start of each value.
 */
export function scanJson(text: string, maxDepth: number, onValue?: (pointer: string, offset: number) => void): Scan {
  const duplicates: string[] = [];
  const open: Open[] = [];
  let inside: Open | undefined;
  let expect: Expect = "value";
  let offset = 0;
  const fail = (kind: Flaw["kind"]): Scan => ({ flaw: { kind, offset }, duplicates });

  for (;;) {
    while (isBlank(text.charCodeAt(offset))) offset++;
    const character = text[offset];
    if (character === undefined) return expect === "nothing" ? { duplicates } : fail("syntax");
    if (onValue !== undefined && (expect === "value" || (expect === "value-or-end" && character !== "]")))
      onValue(pointer(open), offset);
    const isEnd = inside !== undefined && character === (inside.names === undefined ? "]" : "}");

    if (isEnd && (expect === "comma-or-end" || expect === "value-or-end" || expect === "name-or-end")) {
      open.pop();
      inside = open.at(-1);
      expect = inside === undefined ? "nothing" : "comma-or-end";
      offset++;
    } else if (expect === "comma-or-end") {
      if (character !== "," || inside === undefined) return fail("syntax");
      if (typeof inside.at === "number") inside.at++;
      expect = inside.names === undefined ? "value" : "name";
      offset++;
    } else if (expect === "colon") {
      if (character !== ":") return fail("syntax");
      expect = "value";
      offset++;
    } else if (expect === "name" || expect === "name-or-end") {
      const end = character === '"' ? stringEnd(text, offset) : undefined;
      if (end === undefined || inside?.names === undefined) return fail("syntax");
      const name = text.slice(offset, end);
      inside.at = name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1);
      if (inside.names.has(inside.at) && duplicates.length < MAX_DUPLICATES) duplicates.push(pointer(open));
      inside.names.add(inside.at);
      expect = "colon";
      offset = end;
    } else if (expect === "nothing") {
      return fail("syntax");
    } else if (character === "{" || character === "[") {
      if (open.length === maxDepth) return fail("too-deep");
      inside = character === "{" ? { names: new Set(), at: "" } : { at: 0 };
      open.push(inside);
      expect = character === "{" ? "name-or-end" : "value-or-end";
      offset++;
    } else {
      const end = scalarEnd(text, offset, character);
      if (end === undefined) return fail("syntax");
      expect = inside === undefined ? "nothing" : "comma-or-end";
      offset = end;
    }
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function scalarEnd(text: string, offset: number, first: string): number | undefined {
  if (first === '"') return stringEnd(text, offset);
  const word = WORDS[first];
  if (word !== undefined) return text.startsWith(word, offset) ? offset + word.length : undefined;
  NUMBER.lastIndex = offset;
  return NUMBER.test(text) ? NUMBER.lastIndex : undefined;
}

/** Returns the end of the string that begins at `offset`; `undefined` if the string is malformed. */
function stringEnd(text: string, offset: number): number | undefined {
  const quote = text.indexOf('"', offset + 1);
  if (quote < 0) return undefined;
  if (!NOT_PLAIN.test(text.slice(offset + 1, quote))) return quote + 1;
  for (let at = offset + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return undefined;
    if (code !== 0x5c) continue;
    const escaped = text[++at];
    HEX.lastIndex = at + 1;
    if (escaped === "u" && HEX.test(text)) at += 4;
    else if (escaped === undefined || !ESCAPES.includes(escaped)) return undefined;
  }
  return undefined;
}

function pointer(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
