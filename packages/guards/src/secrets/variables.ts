import type { CommandWord } from "@hookline/runtime/command";
import { strengthOf, wordsOf } from "./names.ts";

/** Matches expansions of variables to their values, not to lengths or to whether they are set. */
const EXPANSIONS =
  /(?<!\\)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:\[[^\]]*\])?(?:(?::?[-=?][^}]*)|(?:[#%/,^@][^}]*)|(?::\s?-?\d+(?::(?:[7-9]|\d\d+))?))?\})/g;

/** Whether a variable's name marks it as secret. */
export function isSecretVariable(name: string): boolean {
  const strength = strengthOf(name);
  return (
    strength === "secret" ||
    strength === "password" ||
    (strength === "weak" && /^[A-Z]/.test(name) && wordsOf(name).length > 1 && /KEY$|AUTH$|DSN$/.test(name))
  );
}

/** Returns the secret variables whose values a word expands. */
export function secretVariables({ text, pieces }: CommandWord): string[] {
  if (pieces.every((piece) => piece !== undefined)) return [];
  const expanded = text.replace(/'[^']*'/g, (quoted, at: number) => (isInDouble(text, at) ? quoted : ""));
  return [...expanded.matchAll(EXPANSIONS)].map((match) => match[1] ?? match[2] ?? "").filter(isSecretVariable);
}

function isInDouble(text: string, at: number): boolean {
  return (text.slice(0, at).match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1;
}

const NAMED =
  /process\.env\.(\w+)|process\.env\[\s*['"`](\w+)|environ(?:\.get\(|\[)\s*['"](\w+)|getenv\(\s*['"](\w+)|ENV(?:\.fetch\(|\[)\s*['"](\w+)|ENV\{['"]?(\w+)|ENVIRON\[\s*"(\w+)|Deno\.env\.get\(\s*['"](\w+)|Bun\.env\.(\w+)/g;
const ALL =
  /process\.env\s*(?:[),;}\]\n]|$)|environ\b(?!\s*(?:\.\s*(?:get|keys|pop|setdefault|copy\(\)\.keys)|\[|\s*=))|\bENV\.(?:to_h|each|inspect|map|sort|to_a)|\b(?:p|pp|puts) ENV\b|%ENV|getenv\(\s*\)|\$_ENV\b(?!\[)|\$_SERVER\b(?!\[)|phpinfo\(|Deno\.env\.toObject|Bun\.env\s*[);]|in ENVIRON\b/;
/** Matches the reading of a variable whose name the code computes, as in a loop over all names. */
const EACH =
  /process\.env\[(?!\s*['"`])|environ(?:\.get\(|\[)(?!\s*['"])|ENV(?:\.fetch\(|\[)(?!\s*['"])|ENV\{\$|ENVIRON\[(?!\s*")/;
const PRINTS = /console\.|print|puts|echo|write|\bsay\b|\bp\b|\bpp\b|dump|fetch\(|requests?\.|urlopen|http/;
/** Matches code that shows only a fact about a value, such as whether it is set. */
const FACTS = String.raw`Boolean\(|bool\(|\.length|len\(|is (?:not )?None|\? *['"](?:set|yes|ok)|hash`;
const UNSHOWN = new RegExp(
  String.raw`Object\.keys\(\s*process\.env|environ\.keys\(\)|list\(os\.environ\)|sorted\(os\.environ\)|ENV\.keys|keys\s*%ENV|!!process\.env|in os\.environ(?!\.(?:items|values))|in process\.env|${FACTS}`,
  "i",
);
/** Matches code that shows only whether a variable is set. */
const WHETHER = new RegExp(`!!|${FACTS}`, "i");

/** Returns what a program's code prints of its environment: names of variables, or `*` for all. */
export function printedVariables(code: string): string[] {
  if (!PRINTS.test(code)) return [];
  if (EACH.test(code) && !WHETHER.test(code)) return ["*"];
  if (UNSHOWN.test(code)) return [];
  if (ALL.test(code)) return ["*"];
  return [...code.matchAll(NAMED)]
    .map((match) => match.slice(1).find((name) => name !== undefined) ?? "")
    .filter(isSecretVariable);
}
