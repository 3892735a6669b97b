import { readText } from "@hookline/ground/system";

/** The settings that hookline reads from a context's `local.toml`; the other settings there are only for chibi. */
export interface LocalSettings {
  /** The person's name. */
  readonly username?: string;
  /** If present, this context offers only these tools, of which hooks may leave out some. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const TABLE = /^\s*\[+\s*([^\]]*?)\s*\]+\s*(?:#.*)?$/;
const PAIR = /^\s*(\w+)\s*=\s*(.*)$/;
/** Matches the next string, comment or list end. */
const TOKEN = /"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|#.*|\]/g;

/**
 * Reads `username` and the lists `include` and `exclude` of `[tools]` from a context's `local.toml`. Understands only
 * strings and lists of strings, and ignores all other settings. Source: spec/chibi.md 3.
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

/** Whether a text contains the end of a list, outside strings and comments. */
function closes(value: string): boolean {
  return [...value.matchAll(TOKEN)].some(([token]) => token === "]");
}

function textsIn(value: string): string[] {
  return [...value.matchAll(TOKEN)].flatMap(
    ([, basic, literal]) => basic?.replace(/\\(["\\])/g, "$1") ?? literal ?? [],
  );
}
