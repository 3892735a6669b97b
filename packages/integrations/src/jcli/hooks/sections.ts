import type { LineProblem } from "./yaml.ts";

/** Some lines of a file. `line` is the 1-based number of the first. */
export interface Chunk {
  readonly line: number;
  readonly lines: readonly string[];
}

/** The parts of a file with broken YAML. They are parsed separately, so that a bad entry affects only itself. */
export interface Pieces<T> {
  readonly pieces: readonly T[];
  /** Lines of the file that belong to none of the pieces, each with its problem. */
  readonly strays: readonly LineProblem[];
}

/** A top-level key with the lines below it. */
export interface Section extends Chunk {
  readonly key: string;
}

const TOP_KEY = /^(?:"([^"]+)"|'([^']+)'|([^\s"'#:[\]{}-][^\s:]*))\s*:(?:\s|$)/;
const ENTRY_KEYS = "command|prompt|type|timeout|retry|on_error|filter|model|name|description";
const ENTRY = new RegExp(`^[ \\t]*-[ \\t]+(?:"|')?(?:${ENTRY_KEYS})(?:"|')?[ \\t]*:`);
const DASH = /^[ \t]*-(?:[ \t]+|$)/;
const SCALAR_OPENS = /:[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?$/;

/** Splits a file at its top-level keys. Other unindented lines, except list items, are reported in `strays`. */
export function sectionsOf(text: string): Pieces<Section> {
  const pieces: { key: string; line: number; lines: string[] }[] = [];
  const strays: LineProblem[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const open = pieces.at(-1);
    const match = TOP_KEY.exec(index === 0 ? line.replace(/^\uFEFF/, "") : line);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    if (key !== undefined && !new RegExp(`^(?:${ENTRY_KEYS})$`).test(key)) {
      pieces.push({ key, line: index + 1, lines: [line] });
    } else if (open !== undefined && (isBlank(line) || /^[ \t]/.test(line) || DASH.test(line))) {
      open.lines.push(line);
    } else if (!isBlank(line)) {
      strays.push({ line: index + 1, problem: strayProblem(line) });
      // An empty line in place of the stray one keeps the numbers of later lines correct.
      open?.lines.push("");
    }
  });
  return { pieces, strays };
}

/** Splits a section into its entries. Those indented by a tab, or unlike most others, are reported in `strays`. */
export function entriesOf(section: Section): Pieces<Chunk> {
  const starts = entryStarts(section.lines);
  const columns = new Map<number, number>();
  for (const { column } of starts) columns.set(column, (columns.get(column) ?? 0) + 1);
  const column = [...columns].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0])[0];
  const pieces: Chunk[] = [];
  const strays: LineProblem[] = [];
  starts.forEach(({ at, column: own, tab }, n) => {
    const end = starts[n + 1]?.at ?? section.lines.length;
    const line = section.line + at;
    if (tab) strays.push({ line, problem: "a tab is used for indentation; YAML wants spaces" });
    else if (own !== column)
      strays.push({ line, problem: `the entry is indented by ${own} columns, the others by ${column}` });
    else pieces.push({ line, lines: section.lines.slice(at, end) });
  });
  return { pieces, strays };
}

interface Start {
  readonly at: number;
  readonly column: number;
  readonly tab: boolean;
}

/** Finds the lines that begin an entry, but not in the text of a block scalar. */
function entryStarts(lines: readonly string[]): Start[] {
  const starts: Start[] = [];
  /** If the current line is in a block scalar (after `key: |`), the column of that key. */
  let scalar: number | undefined;
  let usual: number | undefined;
  lines.forEach((line, at) => {
    if (at === 0 || isBlank(line)) return;
    const lead = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (scalar !== undefined && lead.length > scalar) return;
    scalar = undefined;
    const dash = DASH.exec(line);
    if (dash !== null && (ENTRY.test(line) || usual === undefined || lead.length <= usual)) {
      starts.push({ at, column: lead.length, tab: lead.includes("\t") });
      usual ??= lead.length;
    }
    if (SCALAR_OPENS.test(line)) scalar = dash === null ? lead.length : dash[0].length;
  });
  return starts;
}

function strayProblem(line: string): string {
  if (/^---|^\.\.\./.test(line)) return "a second YAML document begins here; only one is read, so remove this line";
  const key = TOP_KEY.exec(line)?.[3];
  if (key !== undefined) return `"${key}" is where an event name is expected; indent it below its entry`;
  return "this line is neither an event name nor part of an entry";
}

function isBlank(line: string): boolean {
  return /^\s*(?:#.*)?$/.test(line);
}
