import { relative, sep } from "node:path";
import { globMatch } from "./glob.ts";

/** Whether an entry of a list of extensions switches others on or off instead of naming one. */
export function isOverride(entry: string): boolean {
  return /^[!+-]/.test(entry);
}

/**
 * Whether a list leaves a path on: `!pattern` takes out, `+path` puts back, `-path` takes out for good.
 * Patterns are tested on the path below `base`, on the whole path and on the bare name, paths only on the first two.
 *
 * Source: spec/pi.md 3.1.
 */
export function isEnabled(path: string, entries: readonly string[], base: string): boolean {
  const below = relative(base, path).split(sep).join("/");
  const whole = path.split(sep).join("/");
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  const named = (sign: string, fits: (text: string) => boolean): boolean =>
    entries.some((entry) => entry.startsWith(sign) && fits(entry.slice(1).replace(/^\.\//, "")));
  const exactly = (text: string): boolean => text === below || text === whole;
  const loosely = (text: string): boolean => [below, whole, name].some((candidate) => globMatch(text, candidate));
  if (named("-", exactly)) return false;
  return named("+", exactly) || !named("!", loosely);
}
