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
const UNIT = String.raw`\[:\w+:\]|\[[=.].[=.]\]|\\.|'[^'/]*'|"[^"/]*"`;
// Each text has one reading, so that a set which never ends is not tried in all of them.
const SET = new RegExp(String.raw`^\[[!^]?\]?(?:${UNIT}|(?!${UNIT})[^\]])*\]`, "s");
/** Matches one member of a set, such as `a`, `-`, `[:digit:]` or a quoted text. */
const MEMBERS = /\[:(\w+):\]|\[[=.](.)[=.]\]|\\(.)|\$?'([^']*)'|"([^"]*)"|(-)|(.)/gs;

/** What `*` matches: within a name, or everything. */
type Star = "name" | "any";

/** A part of a pattern: one character, a set or `?` as a regular expression, a star, or `deep`: `**` and a slash. */
type Part = string | RegExp | { readonly star: Star | "deep" };

const LONGEST = 4096;

/**
 * Reads a pattern: `*`, `?`, `**` across folders, and sets. A pattern with an invalid set is taken literally; one that is
 * longer than any path counts as `**`.
 */
function partsOf(pattern: string, star: Star): readonly Part[] {
  if (pattern.length > LONGEST) return [{ star: "any" }];
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const one = String.fromCodePoint(rest.codePointAt(0) as number);
    const [stars] = /^\*\*\/?|^\*/.exec(rest) ?? [];
    const [set] = SET.exec(rest) ?? [];
    if (stars !== undefined) parts.push({ star: stars === "*" ? star : stars === "**" ? "any" : "deep" });
    else if (one === "?") parts.push(star === "any" ? /^.$/su : /^[^/]$/u);
    else if (set !== undefined) {
      const expression = setOf(set);
      if (expression === undefined) return [...pattern];
      parts.push(expression);
    } else parts.push(one);
    at += (stars ?? set ?? one).length;
  }
  return parts;
}

const SOURCES = { name: "[^/]*", any: ".*", deep: "(?:.*/)?" } as const;

/**
 * Translates a person's pattern to the source of a regular expression with the flag `u`. Not for patterns of a model,
 * with which such an expression can take for ever.
 */
export function globSource(pattern: string): string {
  return partsOf(pattern, "name")
    .map((part) => {
      if (typeof part === "string") return literal(part);
      return part instanceof RegExp ? part.source.slice(1, -1) : SOURCES[part.star];
    })
    .join("");
}

/** A compiled pattern. */
export type Glob = Pick<RegExp, "test">;

/**
 * Compiles a pattern of one name, or of a path if it contains a slash. In a name, `*` also matches slashes. The time of
 * a test grows with the product of both lengths, whatever the pattern.
 */
export function globOf(pattern: string, star: Star = pattern.includes("/") ? "name" : "any"): Glob {
  const parts = partsOf(pattern, star);
  const least = parts.filter((part) => !isStar(part)).length;
  return {
    test(text) {
      if (text.length < least) return false;
      // The parts that may come next. `inside` are those of `deep` that have begun a folder's name.
      let next = new Set(skipped(parts, [0]));
      let inside = new Set<number>();
      for (const one of text) {
        const after: number[] = [];
        const within = new Set(inside);
        for (const at of next) {
          const part = parts[at];
          if (part === undefined) continue;
          if (typeof part === "string" || part instanceof RegExp) {
            if (part === one || (part instanceof RegExp && part.test(one))) after.push(at + 1);
          } else if (part.star === "deep") within.add(at);
          else if (part.star === "any" || one !== "/") after.push(at);
        }
        if (one === "/") for (const at of within) after.push(at + 1);
        [next, inside] = [new Set(skipped(parts, after)), within];
        if (next.size === 0 && inside.size === 0) return false;
      }
      return next.has(parts.length);
    },
  };
}

/** Returns positions in a pattern, with those that follow because a star matches nothing. */
function* skipped(parts: readonly Part[], positions: readonly number[]): Iterable<number> {
  for (let at of positions) {
    yield at;
    while (isStar(parts[at])) yield ++at;
  }
}

function isStar(part: Part | undefined): boolean {
  return typeof part === "object" && "star" in part;
}

/** Compiles a set; `undefined` if it is invalid, such as `[z-a]`. */
function setOf(set: string): RegExp | undefined {
  const isNegated = /^\[[!^]/.test(set);
  // A class such as `[:alpha:]` may contain letters beyond ASCII, depending on the locale. Match them in any case.
  const beyond = isNegated ? "" : "\\u{a1}-\\u{10ffff}";
  const members = [...set.slice(isNegated ? 2 : 1, -1).matchAll(MEMBERS)].map(([whole, name, ...texts]) => {
    if (name !== undefined) return CLASSES[name] === undefined ? undefined : `${CLASSES[name]}${beyond}`;
    return whole === "-" ? whole : literal(texts.join("")).replaceAll("-", String.raw`\-`);
  });
  if (members.includes(undefined)) return /^.$/su;
  try {
    return new RegExp(`^[${isNegated ? "^" : ""}${members.join("")}]$`, "su");
  } catch {
    return undefined;
  }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
