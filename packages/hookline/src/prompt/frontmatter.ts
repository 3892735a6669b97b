/** A Markdown file that may begin with fields between two lines of `---`. */
export interface Frontmatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;
const PLAIN_LINE = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*$/;
/** What only a YAML parser understands at the start of a value, or within it. */
const NEEDS_PARSER = /^[[\]{}&*!|>%@`#,?-]|: |[ \t]#|^$|^["'].*[^"']$|\\|.["'].*["']$/;

/** Splits a file into fields and body; behind fields the body has no blank edges. Rejects with the parser's text when the fields are no YAML mapping. */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const block = BLOCK.exec(text);
  if (block === null) return { fields: {}, body: text };
  const source = block[1] ?? "";
  const body = text.slice(block[0].length).trim();
  const plain = plainFields(source);
  if (plain !== undefined) return { fields: plain, body };
  // Most files need no parser, which costs more than all of them.
  const { parse } = await import("../file/yaml.ts");
  const parsed: unknown = parse(source);
  if (parsed === null || parsed === undefined) return { fields: {}, body };
  if (typeof parsed !== "object" || Array.isArray(parsed))
    throw new Error("the fields at its beginning are no mapping");
  return { fields: parsed as Readonly<Record<string, unknown>>, body };
}

/** Reads lines of `key: value` with plain values; undefined where there is anything else. */
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
  // Other spellings of numbers, dates, nothing and truth are left to the parser.
  if (/^(?:[-+.\d~]|null$|yes$|no$|on$|off$|y$|n$)/i.test(value)) return undefined;
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
