import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readRegular } from "../file/regular-file.ts";
import { pathExists, toPosix } from "./path.ts";

/** What the ignore files above a folder say; later levels are nearer. */
export interface IgnoreRules {
  readonly git: readonly Level[];
  /** Of `.ignore` files, which win over those of git. */
  readonly own: readonly Level[];
}

interface Level {
  readonly folder: string;
  readonly matcher: Ignore;
}

/**
 * Reads the rules above a folder that a search begins in: from the top of its repository, or, outside of one, from `cwd`
 * when the folder is below it.
 */
export async function rulesAbove(folder: string, cwd: string): Promise<IgnoreRules> {
  const top = (await repositoryOf(folder)) ?? (isInside(folder, cwd) ? cwd : folder);
  const chain: string[] = [];
  for (let at = folder; at !== top; ) {
    at = dirname(at);
    chain.unshift(at);
  }
  let rules: IgnoreRules = { git: [], own: [] };
  for (const level of chain)
    rules = await rulesIn(level, rules, level === top ? RULE_FILES : [".gitignore", ".ignore"]);
  return rules;
}

/**
 * Adds the ignore files of a folder, whose entries are given, to the rules above it. What ignores the folder itself holds
 * no longer: a nearer file took it back, or the folder was asked for by name.
 */
export async function rulesIn(folder: string, above: IgnoreRules, names: readonly string[]): Promise<IgnoreRules> {
  const read = async (name: string, file = name) => (names.includes(name) ? await readLevel(folder, file) : []);
  const open = (level: Level) => !saysOf(level, folder, true).ignored;
  // Rules of a repository end where another one begins.
  const inherited = names.includes(".git") ? [] : above.git.filter(open);
  return {
    git: [...inherited, ...(await read(".git", join(".git", "info", "exclude"))), ...(await read(".gitignore"))],
    own: [...above.own.filter(open), ...(await read(".ignore"))],
  };
}

/** Whether something in a folder is ignored; the nearest file that says anything decides. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (const level of [...rules.git, ...rules.own].reverse()) {
    const says = saysOf(level, path, isFolder);
    if (says.ignored || says.unignored) return says.ignored;
  }
  return false;
}

const RULE_FILES = [".git", ".gitignore", ".ignore"];

function saysOf(level: Level, path: string, isFolder: boolean): { ignored: boolean; unignored: boolean } {
  const name = toPosix(relative(level.folder, path));
  return name === "" ? { ignored: false, unignored: false } : level.matcher.test(isFolder ? `${name}/` : name);
}

async function readLevel(folder: string, file: string): Promise<Level[]> {
  try {
    const text = await readRegular(join(folder, file));
    return [{ folder, matcher: ignore({ ignorecase: false }).add(text.toString("utf8")) }];
  } catch {
    return [];
  }
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
