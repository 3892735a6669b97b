import { messageOf } from "@hookline/ground";

/** A Markdown file that may begin with YAML fields between two lines of `---`. */
export interface Frontmatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const PLAIN_LINE = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*$/;
/** Matches YAML values that `plainFields` does not understand. */
const NEEDS_PARSER = /^[[\]{}&*!|>%@`#,?-]|: |[ \t]#|:$|^$|^"(?!.*"$)|^'(?!.*'$)|\\|.["'].*["']$/;

/**
 * Splits a file into fields and body. If there are fields, the body is trimmed. Rejects with the parser's error if the
 * fields are not a YAML mapping.
 */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const block = BLOCK.exec(text);
  if (block === null) return { fields: {}, body: text };
  const source = block[1] ?? "";
  const body = text.slice(block[0].length).trim();
  const plain = plainFields(source);
  if (plain !== undefined) return { fields: plain, body };
  // Most files have only simple fields. Loading the YAML parser takes longer than reading all of them.
  const { parse } = await import("@hookline/ground/yaml");
  const parsed: unknown = parse(source);
  if (parsed === null || parsed === undefined) return { fields: {}, body };
  if (typeof parsed !== "object" || Array.isArray(parsed))
    throw new Error("the fields at its beginning are no mapping");
  return { fields: parsed as Readonly<Record<string, unknown>>, body };
}

/** Returns the problem with a file's fields and its line, from an error of `readFrontmatter`. */
export function fieldsFault(thrown: unknown): { readonly line: number; readonly problem: string } {
  const { linePos } = thrown as { readonly linePos?: readonly { readonly line: number }[] };
  const [first = ""] = messageOf(thrown).split("\n");
  // The parser counts lines from the first field, which is on line 2 of the file.
  return { line: (linePos?.[0]?.line ?? 0) + 1, problem: first.replace(/ at line \d+, column \d+:?$/, "") };
}

/** Reads lines of `key: value` with simple values; undefined if the text contains anything else. */
function plainFields(source: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  for (const line of source.split(/\r?\n/)) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, key, value = ""] = PLAIN_LINE.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || NEEDS_PARSER.test(value)) return undefined;
    const read = plainValue(value);
    if (read === undefined) return undefined;
    fields[key] = read;
  }
  return fields;
}

function plainValue(value: string): unknown {
  if (value === "true" || value === "false") return value === "true";
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  // Leaves values that YAML may read in another way, such as `1e5`, `2024-01-01`, `~`, `Null` and `True`, to its parser.
  if (/^(?:[-+.\d~]|(?:null|true|false)$)/i.test(value)) return undefined;
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
