import { dirname, join, relative, sep } from "node:path";
import { readRegular } from "@hookline/ground/system";
import ignore, { type Ignore } from "ignore";
import { pathExists, toPosix } from "./path.ts";

/** The rules of the ignore files that apply to a folder; those of outer folders come first. */
export interface IgnoreRules {
  readonly git: readonly Level[];
  /** Rules of `.ignore` files, which override those of git's ignore files. */
  readonly own: readonly Level[];
  /** The rules of all ignore files; the first file with a matching rule decides. */
  readonly ranked: readonly Level[];
}

interface Level {
  /** The folder of the ignore file, with a separator at its end. */
  readonly inside: string;
  readonly matcher: Ignore;
  /** Matches every path that a rule may apply to; absent if any path may. */
  readonly hint: RegExp | undefined;
}

/**
 * Reads the ignore files of the folders above a search. The first folder is the top of the repository; without one it
 * is `cwd`, or there is none if the search is outside `cwd`.
 */
export async function rulesAbove(folder: string, cwd: string): Promise<IgnoreRules> {
  const top = (await repositoryOf(folder)) ?? (isInside(folder, cwd) ? cwd : folder);
  const chain: string[] = [];
  for (let at = folder; at !== top; ) {
    at = dirname(at);
    chain.unshift(at);
  }
  let rules: IgnoreRules = { git: [], own: [], ranked: [] };
  for (const level of chain) rules = await rulesIn(level, rules, level === top ? RULE_FILES : RULE_FILES.slice(1));
  return rules;
}

/**
 * Adds the ignore files of a folder to those above it; `entries` are its names. Leaves out each file above that ignores
 * this folder itself: it would hide all entries, although a nearer file or the call let the search in.
 */
export async function rulesIn(
  folder: string,
  above: IgnoreRules,
  entries: readonly { readonly name: string }[],
): Promise<IgnoreRules> {
  const names = new Set(RULE_NAMES.filter((rule) => entries.some(({ name }) => name === rule)));
  const isOpen = (level: Level) => !saysOf(level, folder, true).ignored;
  if (names.size === 0 && above.ranked.every(isOpen)) return above;
  const read = async (name: string, file = name) => (names.has(name) ? await readLevel(folder, file) : []);
  // Git's rules of a repository do not apply within another repository.
  const inherited = names.has(".git") ? [] : above.git.filter(isOpen);
  const git = [...inherited, ...(await read(".git", join(".git", "info", "exclude"))), ...(await read(".gitignore"))];
  const own = [...above.own.filter(isOpen), ...(await read(".ignore"))];
  return { git, own, ranked: [...git, ...own].reverse() };
}

/** Whether an entry of a folder is ignored. The nearest file with a matching rule decides. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (const level of rules.ranked) {
    const says = saysOf(level, path, isFolder);
    if (says.ignored || says.unignored) return says.ignored;
  }
  return false;
}

const RULE_NAMES = [".git", ".gitignore", ".ignore"];
const RULE_FILES = RULE_NAMES.map((name) => ({ name }));
const NOTHING = { ignored: false, unignored: false };

function saysOf(level: Level, path: string, isFolder: boolean): { ignored: boolean; unignored: boolean } {
  const name = toPosix(path.slice(level.inside.length));
  if (name === "" || level.hint?.test(name) === false) return NOTHING;
  return level.matcher.test(isFolder ? `${name}/` : name);
}

async function readLevel(folder: string, file: string): Promise<Level[]> {
  try {
    const text = (await readRegular(join(folder, file))).toString("utf8");
    const inside = folder.endsWith(sep) ? folder : folder + sep;
    return [{ inside, matcher: ignore({ ignorecase: false }).add(reworded(text)), hint: hintOf(text) }];
  } catch {
    return [];
  }
}

/**
 * Rewrites rules that the package `ignore` understands differently from git. The package reads a final `\*` as any
 * characters, and a final `/**` with a slash also matches the folder before it.
 */
function reworded(text: string): string {
  return text
    .replace(/\[(?:\\.|[^\]\n])*\]|\\./g, (part) => (part === "\\*" ? "[\\*]" : part))
    .replace(/\/\*\*\/ *$/gm, "/**/*/");
}

/** Matches paths that contain the longest literal word of any rule. Other paths need not be compared with the rules. */
function hintOf(text: string): RegExp | undefined {
  const words = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    // Brackets hold alternatives, so a line with brackets has no literal word to look for.
    const [longest] = line.includes("[") ? [] : (line.match(/[\w.-]+/g) ?? []).sort((a, b) => b.length - a.length);
    if (longest === undefined) return undefined;
    words.add(longest.replaceAll(".", "\\."));
  }
  return words.size === 0 ? /(?!)/ : new RegExp([...words].join("|"));
}

async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await pathExists(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = toPosix(relative(folder, path));
  return way !== ".." && !way.startsWith("../");
}
