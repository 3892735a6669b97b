import type { RawNode, RawPair } from "./yaml.ts";

/** One line of content: its indentation and its text. */
interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/** Printable text without tabs, unusual line breaks and invisible characters. */
const PRINTABLE = /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u0370-\u052f\u3001-\ud7ff\uff01-\uffef]*$/;
const KEY = /^([A-Za-z_][\w-]*):(?: +(.*))?$/;
/** `null` and similar words are not keys; the full parser decides whether they are text. */
const NULL = /^(?:null|Null|NULL|~)$/;
/** A plain text without a special first character. */
const PLAIN = /^[A-Za-z0-9_/.~$+(=^\\<\u3041-\ud7ff]/;
/** Characters that end a plain text, or make it something else. */
const NOT_PLAIN = /: | #|:$/;
const IN_DOUBLE_QUOTES = /^"((?:[^"\\]|\\["\\])*)"$/;
const IN_SINGLE_QUOTES = /^'((?:[^']|'')*)'$/;
const MOST_CHARACTERS = 256 * 1024;
const DEEPEST = 32;

/**
 * Reads the YAML of most hooks: maps and lists by indentation, with single-line texts. `undefined` for anything else
 * and for every mistake: the full parser handles those, but takes ten times as long to load. The result is exactly the
 * full parser's.
 */
export function readPlainYaml(text: string, shift: number): RawNode | undefined {
  if (text.length > MOST_CHARACTERS || !PRINTABLE.test(text)) return undefined;
  const lines = linesOf(text, shift);
  const [first] = lines;
  if (first === undefined) return undefined;
  const reader = new Reader(lines);
  const root = reader.block(first.indent, 0);
  return reader.isAtEnd ? root : undefined;
}

function linesOf(text: string, shift: number): Line[] {
  const lines: Line[] = [];
  let number = shift;
  for (const whole of text.split("\n")) {
    number++;
    const trimmed = whole.trim();
    if (trimmed !== "" && !trimmed.startsWith("#"))
      lines.push({ number, indent: whole.length - whole.trimStart().length, text: trimmed });
  }
  return lines;
}

/** Every method returns `undefined` for anything that is not plain, which ends the reading. */
class Reader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** The map or list that begins at the current line. */
  block(indent: number, depth: number): RawNode | undefined {
    if (depth > DEEPEST) return undefined;
    return isItem(this.#lines[this.#at]) ? this.#list(indent, depth) : this.#map(indent, depth);
  }

  #map(indent: number, depth: number): RawNode | undefined {
    const pairs: RawPair[] = [];
    for (let line = this.#lines[this.#at]; line?.indent === indent && !isItem(line); line = this.#lines[this.#at]) {
      const [, key, rest] = KEY.exec(line.text) ?? [];
      if (key === undefined || NULL.test(key)) return undefined;
      this.#at++;
      const value = rest === undefined ? this.#below(indent, depth) : scalar(rest, line.number);
      if (value === undefined) return undefined;
      pairs.push({ key, line: line.number, value });
    }
    const [first] = pairs;
    return first && { kind: "map", line: first.line, pairs };
  }

  /** The value of a key without one on its line: a deeper block, or a list whose dashes are below the key. */
  #below(indent: number, depth: number): RawNode | undefined {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent || (next.indent === indent && !isItem(next))) return undefined;
    return this.block(next.indent, depth + 1);
  }

  #list(indent: number, depth: number): RawNode | undefined {
    const items: RawNode[] = [];
    const start = this.#lines[this.#at]?.number ?? 0;
    for (let line = this.#lines[this.#at]; line?.indent === indent && isItem(line); line = this.#lines[this.#at]) {
      const text = line.text.slice(1).trimStart();
      const item = KEY.test(text) ? this.#mapInItem(line, text, depth) : scalar(text, line.number);
      if (item === undefined) return undefined;
      if (item.kind !== "map") this.#at++;
      items.push(item);
    }
    return { kind: "list", line: start, items };
  }

  /** A map whose first key follows a dash is read as if the dash were a blank. */
  #mapInItem(line: Line, text: string, depth: number): RawNode | undefined {
    const indent = line.indent + line.text.length - text.length;
    this.#lines[this.#at] = { number: line.number, indent, text };
    return this.block(indent, depth + 1);
  }
}

function isItem(line: Line | undefined): boolean {
  return line?.text.startsWith("- ") === true;
}

function scalar(text: string, line: number): RawNode | undefined {
  const double = IN_DOUBLE_QUOTES.exec(text)?.[1];
  if (double !== undefined) return { kind: "text", line, text: double.replaceAll(/\\(.)/g, "$1"), quoted: true };
  const single = IN_SINGLE_QUOTES.exec(text)?.[1];
  if (single !== undefined) return { kind: "text", line, text: single.replaceAll("''", "'"), quoted: true };
  if (!PLAIN.test(text) || NOT_PLAIN.test(text)) return undefined;
  return NULL.test(text) ? { kind: "nothing", line } : { kind: "text", line, text, quoted: false };
}
