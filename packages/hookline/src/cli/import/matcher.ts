import type { HookHost } from "./hosts.ts";

/** A matcher with Claude Code's names (`undefined` for every tool), or why it cannot be translated. */
export type MatcherReading =
  | { readonly matcher: string | undefined; readonly lost: readonly string[] }
  | { readonly problem: string };

const PLAIN = /^[\w-]+(?:\.\*)?$|^\.\*[\w-]+(?:\.\*)?$/;

/** Translates a matcher over tools to Claude Code's names: a list of names, in which `.*` may be at either end. */
export function toolMatcher(given: unknown, { tools, isAnchored, label }: HookHost): MatcherReading {
  if (given === undefined || given === null || given === "" || given === "*" || given === ".*")
    return { matcher: undefined, lost: [] };
  if (typeof given !== "string") return { problem: "its matcher is not a text" };
  const parts = given
    .replace(/^\^?\((.*)\)\$?$/, "$1")
    .split("|")
    .map((part) => part.trim());
  const names: string[] = [];
  const lost: string[] = [];
  for (const part of parts) {
    const bare = part.replace(/^\^/, "").replace(/\$$/, "");
    if (!PLAIN.test(bare)) return { problem: `its matcher "${given}" is an expression; list the tools' names instead` };
    const begins = isAnchored || part.startsWith("^");
    const ends = isAnchored || part.endsWith("$");
    const word = bare.replaceAll(".*", "");
    const fits = (name: string): boolean => {
      const [open, close] = [!begins || bare.startsWith(".*"), !ends || bare.endsWith(".*")];
      if (open && close) return name.includes(word);
      return open ? name.endsWith(word) : close ? name.startsWith(word) : name === word;
    };
    const own = Object.hasOwn(tools, word) ? [word] : Object.keys(tools).filter(fits);
    if (own.length === 0) lost.push(part);
    names.push(...own.flatMap((name) => (tools[name] ?? "").split("|")));
  }
  if (names.length === 0) return { problem: `no tool here is what ${label} calls ${lost.join(", ")}` };
  return { matcher: [...new Set(names)].join("|"), lost };
}
