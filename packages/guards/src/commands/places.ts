import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Glob, globOf } from "@hookline/runtime/command";

/** Names of files that a package manager, a compiler or a cache can recreate, even if no ignore file lists them. */
const ALWAYS =
  /^(?:node_modules|__pycache__|\.(?:pytest_cache|mypy_cache|ruff_cache|cache|parcel-cache|turbo|eslintcache|stylelintcache|nyc_output|next|nuxt|svelte-kit|gradle|tox|nox|DS_Store|sass-cache|angular|vite|rpt2_cache|swc|docusaurus|hypothesis|ipynb_checkpoints)|htmlcov|Thumbs\.db|\.coverage)$|\.(?:pyc|pyo|tsbuildinfo|swp|swo|o|obj|class|tmp|egg-info)$|~$/;

/** Names of files that a program can recreate, provided that an ignore file lists them. */
const IGNORED =
  /^(?:dist|build|out|target|coverage|tmp|temp|logs?|obj|bin|_build|public\/build|vendor|Pods|DerivedData|\.(?:venv|terraform|dart_tool|output|vercel|serverless|expo|yarn|pnpm-store|bundle|stack-work|build|temp|tmp)|venv|env|site|storybook-static|wheels|eggs|sdist|generated|gen|cmake-build-\w+|test-results|playwright-report|report|reports|junit\.xml|bower_components|elm-stuff|deps|cover|lcov\.info)$|\.(?:log|a|so|dylib|dll|exe|wasm|gem|whl|pid|seed|map|min\.js|min\.css|rlib|d|lock|cover|prof|out|gcda|gcno|profraw|jar|war)$/;

/** Whether a path is, or is inside, something that a program can recreate. */
export function isRebuilt(path: string, isIgnored: boolean, globs: readonly Glob[] = []): boolean {
  const parts = path.split("/").filter((part) => part !== "");
  if (
    globs.some((glob) =>
      parts.some((_, at) => glob.test(parts.slice(0, at + 1).join("/")) || glob.test(parts[at] ?? "")),
    )
  )
    return true;
  return parts.some((part) => ALWAYS.test(part) || (isIgnored && IGNORED.test(part)));
}

/** Resolves the links of a path's existing folders; the last name's too if `isFollowed`. */
export function realOf(path: string, isFollowed: boolean): string {
  if (path === "/") return path;
  try {
    return isFollowed ? realpathSync.native(path) : join(realpathSync.native(dirname(path)), basename(path));
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent, true), basename(path));
  }
}

/** Returns what exists at a path: nothing, an empty file, a file, or a folder. */
export function whatIs(path: string): "nothing" | "empty" | "file" | "folder" | "other" {
  try {
    const found = lstatSync(path);
    if (found.isDirectory()) return "folder";
    if (found.isSymbolicLink()) return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? "file" : "other";
    if (!found.isFile()) return "other";
    return found.size === 0 ? "empty" : "file";
  } catch {
    return "nothing";
  }
}

const MOST_FOUND = 5_000;

/** Returns a folder's files by relative path, without `.git`; `undefined` if there are too many. */
export function filesBelow(folder: string): readonly string[] | undefined {
  const all: string[] = [];
  const queue = [""];
  while (queue.length > 0) {
    const inner = queue.pop() as string;
    try {
      for (const entry of readdirSync(join(folder, inner), { withFileTypes: true })) {
        const path = inner === "" ? entry.name : `${inner}/${entry.name}`;
        if (entry.name === ".git" || ALWAYS.test(entry.name)) continue;
        if (entry.isDirectory()) queue.push(path);
        else all.push(path);
        if (all.length > MOST_FOUND) return undefined;
      }
    } catch {
      return undefined;
    }
  }
  return all;
}

function foldersBelow(folder: string): readonly string[] {
  const all = new Set<string>();
  for (const file of filesBelow(folder) ?? [])
    for (let inner = dirname(file); inner !== "."; inner = dirname(inner)) all.add(join(folder, inner));
  return [...all];
}

/** Returns the paths that a pattern of the shell matches; `undefined` if there are too many. */
export function expanded(pattern: string): readonly string[] | undefined {
  let all = [""];
  const parts = pattern.split("/").filter((one) => one !== "");
  for (const [index, part] of parts.entries()) {
    const isDeep = part === "**";
    // Assumes `globstar`: a shell without it reads `**` as `*`, which matches only some of these paths.
    if (isDeep) all = all.flatMap((path) => [path, ...foldersBelow(path === "" ? "/" : path)]);
    if (!/[*?[]|\(/.test(part)) all = all.map((path) => `${path}/${part}`);
    else if (!isDeep || index === parts.length - 1) all = all.flatMap((path) => namesIn(path, part));
    if (all.length > MOST_FOUND) return undefined;
  }
  return all.filter((path) => whatIs(path) !== "nothing");
}

/** Returns the paths in a folder that match the last part of a pattern. */
function namesIn(folder: string, part: string): readonly string[] {
  const matches = globOf(part);
  const isHidden = /^[.[]/.test(part);
  try {
    return readdirSync(folder === "" ? "/" : folder)
      .filter((name) => matches.test(name) && (isHidden || !name.startsWith(".")))
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}
