const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  punct: "!-/:-@",
};

/** Compiles a pattern of one name, or of a path if it contains a slash. */
export function globOf(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at] as string;
    const set = one === "[" ? /^\[[!^]?\]?[^\]]*\]/.exec(pattern.slice(at))?.[0] : undefined;
    if (one === "*") {
      source += pattern.includes("/") ? (pattern[at + 1] === "*" ? ".*" : "[^/]*") : ".*";
      if (pattern[at + 1] === "*") at += pattern[at + 2] === "/" ? 2 : 1;
    } else if (one === "?") source += ".";
    else if (set !== undefined) {
      source += set.replace(/^\[!/, "[^").replaceAll(/\[:(\w+):\]/g, (_, name: string) => CLASSES[name] ?? "");
      at += set.length - 1;
    } else source += one.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    // A pattern with an invalid set, such as `[z-a]`, is taken literally.
    return new RegExp(`^${pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
  }
}
