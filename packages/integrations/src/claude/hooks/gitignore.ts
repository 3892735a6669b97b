/** One part of a path pattern between slashes: `**`, or a name that may contain `*`, `?` and `[…]`. */
type Segment = "**" | readonly Token[];
type Token = { readonly kind: "star" | "any" } | { readonly kind: "one"; readonly fits: (char: string) => boolean };

/** A pattern with the meaning of a line in .gitignore, for paths below one folder. */
export interface PathPattern {
  /** Whether the pattern matches a path or one of its parent folders. `path` is relative and has `/` between names. */
  test(path: string, isFolder: boolean): boolean;
}

/**
 * Reads a pattern. Without a `/` before its end it matches at any depth, with one only from the top. A `/` at its end
 * restricts it to folders. Unlike in git, `dir/**` also matches `dir` itself. Matching takes time proportional to the
 * length of the path times that of the pattern.
 *
 * Source: git-scm.com/docs/gitignore.
 */
export function pathPattern(
  text: string,
  { ignoresCase = false }: { readonly ignoresCase?: boolean } = {},
): PathPattern {
  const isForFolders = /[^\\]\/$/.test(text);
  const body = text.replace(/\/+$/, "").replace(/(?:\/\*\*)+$/, "");
  const isTied = body.includes("/") || body !== text.replace(/\/+$/, "");
  const names = body.split("/").filter((name) => name !== "" && name !== ".");
  const segments: Segment[] = names.map((name) => (/^\*\*+$/.test(name) ? "**" : tokensOf(name, ignoresCase)));
  if (!isForFolders && segments.every((one) => one === "**")) segments.length = 0;
  else if (!isTied) segments.unshift("**");
  return {
    test(path, isFolder) {
      const steps = path.split("/").filter((name) => name !== "");
      const given = ignoresCase ? steps.map((name) => name.toLowerCase()) : steps;
      for (let length = given.length; length >= Math.min(segments.length, 1); length--) {
        if (length === given.length && isForFolders && !isFolder) continue;
        if (fitsAll(segments, given.slice(0, length))) return true;
      }
      return false;
    },
  };
}

function fitsAll(segments: readonly Segment[], names: readonly string[]): boolean {
  return fits(
    segments.length,
    names.length,
    (at) => segments[at] === "**",
    (at, name) => fitsName(segments[at] as readonly Token[], names[name] as string),
  );
}

function fitsName(tokens: readonly Token[], name: string): boolean {
  return fits(
    tokens.length,
    name.length,
    (at) => tokens[at]?.kind === "star",
    (at, char) => {
      const token = tokens[at];
      return token?.kind === "any" || (token?.kind === "one" && token.fits(name[char] as string));
    },
  );
}

/**
 * Whether a pattern of `length` parts matches a text of `most` parts. A star matches any number of parts, every other
 * part exactly one.
 */
function fits(
  length: number,
  most: number,
  isStar: (part: number) => boolean,
  isFit: (part: number, at: number) => boolean,
): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let tried = 0;
  while (at < most) {
    if (part < length && isStar(part)) {
      star = part++;
      tried = at;
    } else if (part < length && isFit(part, at)) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      // Going back to the last star is enough: going back to an earlier one cannot find more matches.
      part = star + 1;
      at = ++tried;
    } else return false;
  }
  while (part < length && isStar(part)) part += 1;
  return part === length;
}

function tokensOf(name: string, ignoresCase: boolean): Token[] {
  const tokens: Token[] = [];
  const text = ignoresCase ? name.toLowerCase() : name;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const set = char === "[" ? /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/s.exec(text.slice(at)) : null;
    if (char === "*") tokens.push({ kind: "star" });
    else if (char === "?") tokens.push({ kind: "any" });
    else if (set !== null) {
      tokens.push({ kind: "one", fits: setOf(set[2] as string, set[1] !== "") });
      at += set[0].length - 1;
    } else {
      const literal = char === "\\" && at + 1 < text.length ? (text[++at] as string) : char;
      tokens.push({ kind: "one", fits: (given) => given === literal });
    }
  }
  return tokens;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  digit: /\d/,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  xdigit: /[\da-f]/i,
};

function setOf(body: string, isNegated: boolean): (char: string) => boolean {
  const classes = [...body.matchAll(/\[:(\w+):\]/g)].map(([, name]) => CLASSES[name as string] ?? /(?!)/);
  const chars = [...body.replaceAll(/\[:\w+:\]/g, "").matchAll(/\\?(.)/gs)].map(([, char]) => char as string);
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < chars.length; at++) {
    const isRange = chars[at + 1] === "-" && at + 2 < chars.length;
    ranges.push([chars[at] as string, chars[isRange ? at + 2 : at] as string]);
    if (isRange) at += 2;
  }
  const has = (char: string) =>
    ranges.some(([from, to]) => from <= char && char <= to) || classes.some((one) => one.test(char));
  return (char) => has(char) !== isNegated;
}
