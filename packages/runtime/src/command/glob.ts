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

/** A part of a pattern. `name` and `any` are what `*` matches: within a name, or everything. `deep` is `**` and a slash. */
type Part = { readonly kind: "name" | "any" | "deep" } | { readonly kind: "one"; readonly source: string };

/** Reads a pattern: `*`, `?`, `**` across folders, and sets. `star` is what `*` matches. */
function partsOf(pattern: string, star: "name" | "any"): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at] as string;
    const set = one === "[" ? SET.exec(pattern.slice(at))?.[0] : undefined;
    if (one === "*") {
      const stars = /^\*\*\/?|^\*/.exec(pattern.slice(at))?.[0] ?? one;
      parts.push({ kind: stars === "*" ? star : stars === "**" ? "any" : "deep" });
      at += stars.length - 1;
    } else if (one === "?") parts.push({ kind: "one", source: star === "any" ? "." : "[^/]" });
    else if (set !== undefined) {
      parts.push({ kind: "one", source: setSource(set) });
      at += set.length - 1;
    } else parts.push({ kind: "one", source: literal(one) });
  }
  return parts.every(isValid) ? parts : [...pattern].map((one) => ({ kind: "one", source: literal(one) }));
}

/** Whether a set is valid. `[z-a]` is not, and its pattern is then taken literally. */
function isValid(part: Part): boolean {
  try {
    return part.kind !== "one" || new RegExp(part.source, "u") !== undefined;
  } catch {
    return false;
  }
}

const SOURCES = { name: "[^/]*", any: ".*", deep: "(?:.*/)?" } as const;

/**
 * Translates a person's pattern to the source of a regular expression with the flag `u`. Not for patterns of a model,
 * with which such an expression can take for ever.
 */
export function globSource(pattern: string): string {
  return partsOf(pattern, "name")
    .map((part) => (part.kind === "one" ? part.source : SOURCES[part.kind]))
    .join("");
}

/** A compiled pattern. */
export type Glob = Pick<RegExp, "test">;

/**
 * Compiles a pattern of one name, or of a path if it contains a slash. In a name, `*` also matches slashes. The time of
 * a test grows with the product of both lengths, whatever the pattern.
 */
export function globOf(pattern: string, star: "name" | "any" = pattern.includes("/") ? "name" : "any"): Glob {
  const parts = partsOf(pattern, star).map((part) =>
    part.kind === "one" ? new RegExp(`^${part.source}$`, "su") : part,
  );
  return {
    test(text) {
      // The parts that may come next. `inside` are those of `deep` that have begun a folder's name.
      let next = new Set(skipped(parts, [0]));
      let inside = new Set<number>();
      for (const one of text) {
        const after: number[] = [];
        const within = new Set<number>();
        for (const at of next) {
          const part = parts[at];
          if (part === undefined) continue;
          if (part instanceof RegExp) {
            if (part.test(one)) after.push(at + 1);
          } else if (part.kind === "any" || (part.kind === "name" && one !== "/")) after.push(at);
          else if (part.kind === "deep") within.add(at);
        }
        for (const at of inside) within.add(at);
        if (one === "/") for (const at of within) after.push(at + 1);
        [next, inside] = [new Set(skipped(parts, after)), within];
        if (next.size === 0 && inside.size === 0) return false;
      }
      return next.has(parts.length);
    },
  };
}

/** Returns positions in a pattern, with those that follow because a star matches nothing. */
function* skipped(parts: readonly (RegExp | Part)[], positions: readonly number[]): Iterable<number> {
  for (let at of positions) {
    yield at;
    for (let part = parts[at]; part !== undefined && !(part instanceof RegExp); part = parts[at]) yield ++at;
  }
}

function setSource(set: string): string {
  const isNegated = /^\[[!^]/.test(set);
  // A class such as `[:alpha:]` may contain letters beyond ASCII, depending on the locale. Match them in any case.
  const beyond = isNegated ? "" : "\\u{a1}-\\u{10ffff}";
  const members = [...set.slice(isNegated ? 2 : 1, -1).matchAll(MEMBERS)].map(([whole, name, ...texts]) => {
    if (name !== undefined) return CLASSES[name] === undefined ? undefined : `${CLASSES[name]}${beyond}`;
    return whole === "-" ? whole : literal(texts.join("")).replaceAll("-", String.raw`\-`);
  });
  if (members.includes(undefined)) return ".";
  return `[${isNegated ? "^" : ""}${members.join("")}]`;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
