import { readText } from "@hookline/ground/system";

/** The settings that hookline reads from a context's `local.toml`; the others are chibi's. */
export interface LocalSettings {
  /** The person's name. */
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
 * Reads `username` and `[tools] include, exclude` from a context's `local.toml`: texts and lists of texts, on one line
 * or several. Ignores everything else. Source: spec/chibi.md 3.
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
    // A list may span several lines.
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

/** Whether the list ends here, outside its texts and comments. */
function closes(value: string): boolean {
  return [...value.matchAll(TOKEN)].some(([token]) => token === "]");
}

function textsIn(value: string): string[] {
  return [...value.matchAll(TOKEN)].flatMap(
    ([, basic, literal]) => basic?.replace(/\\(["\\])/g, "$1") ?? literal ?? [],
  );
}
