import { readText } from "../file/text.ts";

/** What hookline takes from a context's `local.toml`; the other settings are chibi's own. */
export interface LocalSettings {
  /** What the person wants to be called. */
  readonly username?: string;
  /** The tools that the context has, before hooks are asked. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const TABLE = /^\s*\[+\s*([^\]]*?)\s*\]+\s*(?:#.*)?$/;
const PAIR = /^\s*(\w+)\s*=\s*(.*)$/;
/** A text, a comment, or the end of a list, whichever comes next. */
const TOKEN = /"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|#.*|\]/g;

/**
 * Reads `username` and `[tools] include, exclude` of a context's `local.toml`: texts and lists of texts, in one line or
 * several. Everything else is passed over. Source: spec/chibi.md 3.
 */
export function readLocalSettings(path: string): LocalSettings {
  const found: { username?: string; include?: string[]; exclude?: string[] } = {};
  let table = "";
  const lines = readText(path).split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const opened = TABLE.exec(line);
    if (opened !== null) {
      table = opened[1] ?? "";
      continue;
    }
    const [, key = "", start = ""] = PAIR.exec(line) ?? [];
    let value = start;
    // A list may go on over several lines.
    if (value.startsWith("[")) while (!closes(value) && index + 1 < lines.length) value += `\n${lines[++index]}`;
    if (table === "" && key === "username") {
      const [name] = textsIn(value);
      if (name !== undefined) found.username = name;
    }
    if (table === "tools" && value.startsWith("[") && (key === "include" || key === "exclude"))
      found[key] = textsIn(value);
  }
  return found;
}

/** Whether a list's end is there, outside of its texts and comments. */
function closes(value: string): boolean {
  return [...value.matchAll(TOKEN)].some(([token]) => token === "]");
}

function textsIn(value: string): string[] {
  return [...value.matchAll(TOKEN)].flatMap(
    ([, basic, literal]) => basic?.replace(/\\(["\\])/g, "$1") ?? literal ?? [],
  );
}
