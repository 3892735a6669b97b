/** Says how the pattern of a `grep` call is read. */
export interface PatternOptions {
  readonly ignoreCase?: boolean | undefined;
  readonly literal?: boolean | undefined;
}

/**
 * Compiles a search pattern in ripgrep's style; throws if it is invalid. Supports leading flags such as `(?i)`, groups
 * such as `(?P<name>…)` and classes such as `[[:digit:]]`.
 */
export function compilePattern(pattern: string, options: PatternOptions = {}): RegExp {
  if (/[\r\n]/.test(pattern))
    throw new Error("The pattern has a line break, but lines are searched one by one; search for one of the lines.");
  if (options.literal) return new RegExp(escaped(pattern), options.ignoreCase ? "iu" : "u");
  const [, inline = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const source = translated(inline === "" ? pattern : pattern.slice(inline.length + 3));
  const flags = [...new Set([...inline, ...(options.ignoreCase ? "i" : "")])].join("");
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Without the flag `u`, a lone brace or an escaped letter is literal, as most people expect.
    try {
      return new RegExp(source, flags);
    } catch (cause) {
      throw new Error(
        `regex parse error: ${cause instanceof Error ? cause.message : String(cause)}. Use literal=true for plain text.`,
        { cause },
      );
    }
  }
}

/** The most alternatives with which matching is surely fast: each may double the time. */
const FEW_ALTERNATIVES = 8;

/** Whether matching may take much more than linear time. */
export function mayBacktrack(expression: RegExp): boolean {
  const plain = expression.source.replace(/\\./gs, "");
  return /[*+?{]/.test(plain) || plain.split("|").length > FEW_ALTERNATIVES;
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: "\\t ",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

function translated(pattern: string): string {
  return pattern.replaceAll("(?P<", "(?<").replace(/\[:(\w+):\]/g, (written, name: string) => CLASSES[name] ?? written);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
