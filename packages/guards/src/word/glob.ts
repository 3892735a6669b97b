/** The members of POSIX classes, as parts of a set of a regular expression. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9a-fA-F",
};

/** A set such as `[a-z]`, `[!x]` or `[[:digit:]_]`, with the quotes and backslashes that a shell allows in it. */
const SET = /^\[[!^]?\]?(?:\[:\w+:\]|\[[=.].[=.]\]|\\.|'[^'/]*'|"[^"/]*"|[^\]])*\]/s;
/** Matches one member of a set, such as `a`, `-`, `[:digit:]` or a quoted text. */
const MEMBERS = /\[:(\w+):\]|\[[=.](.)[=.]\]|\\(.)|\$?'([^']*)'|"([^"]*)"|(-)|(.)/gs;

/**
 * Translates a pattern to the source of a regular expression: `*`, `?`, `**` across folders, and sets. `star` is what
 * `*` matches.
 */
export function globSource(pattern: string, star = "[^/]*"): string {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at] as string;
    const set = one === "[" ? SET.exec(pattern.slice(at))?.[0] : undefined;
    if (one === "*") {
      const stars = /^\*\*\/?|/.exec(pattern.slice(at))?.[0] ?? "";
      source += stars === "" ? star : stars === "**" ? ".*" : "(?:.*/)?";
      at += Math.max(0, stars.length - 1);
    } else if (one === "?") source += star === ".*" ? "." : "[^/]";
    else if (set !== undefined) {
      source += setSource(set);
      at += set.length - 1;
    } else source += literal(one);
  }
  try {
    return new RegExp(source).source;
  } catch {
    // A pattern with an invalid set, such as `[z-a]`, is taken literally.
    return literal(pattern);
  }
}

/** Compiles a pattern of one name, or of a path if it contains a slash. In a name, `*` also matches slashes. */
export function globOf(pattern: string): RegExp {
  return new RegExp(`^${globSource(pattern, pattern.includes("/") ? "[^/]*" : ".*")}$`, "s");
}

function setSource(set: string): string {
  const isNegated = /^\[[!^]/.test(set);
  // A class such as `[:alpha:]` may contain letters beyond ASCII, depending on the locale. Match them in any case.
  const beyond = isNegated ? "" : "\\u00a1-\\uffff";
  const members = [...set.slice(isNegated ? 2 : 1, -1).matchAll(MEMBERS)].map(([whole, name, ...texts]) => {
    if (name !== undefined) return CLASSES[name] === undefined ? undefined : `${CLASSES[name]}${beyond}`;
    return whole === "-" ? whole : literal(texts.join(""));
  });
  if (members.includes(undefined)) return ".";
  return `[${isNegated ? "^" : ""}${members.join("")}]`;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
