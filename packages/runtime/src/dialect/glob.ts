import { join } from "node:path";
import type { Files } from "@hookline/ground";

const special = /[.+^${}()|[\]\\]/g;

/** Returns whether a text is a pattern rather than a path. */
export function isGlob(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/** Returns whether a `/`-separated path matches a pattern of `*`, `**` and `?`; a leading `./` is ignored. */
export function globMatch(pattern: string, path: string): boolean {
  return regexOf(pattern.replace(/^\.\//, "")).test(path);
}

/** Returns the files under `root` that match a pattern, sorted bytewise; hidden names match only an explicit dot. */
export function globFiles(files: Files, root: string, pattern: string): string[] {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  const found = new Set<string>();
  descend(files, root, segments, found);
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}

function descend(files: Files, directory: string, segments: readonly string[], found: Set<string>): void {
  const [first, ...rest] = segments;
  if (first === undefined) return;
  if (first === "**") {
    if (rest.length > 0) descend(files, directory, rest, found);
    for (const { name, kind } of files.list(directory) ?? []) {
      if (name.startsWith(".") || name === "node_modules") continue;
      if (kind === "directory") descend(files, join(directory, name), segments, found);
      else if (rest.length === 0) found.add(join(directory, name));
    }
    return;
  }
  const names = isGlob(first) ? matching(files, directory, first) : [first];
  for (const name of names) {
    const path = join(directory, name);
    const kind = files.stat(path)?.kind;
    if (rest.length > 0) descend(files, path, rest, found);
    else if (kind !== undefined) found.add(path);
  }
}

function matching(files: Files, directory: string, pattern: string): string[] {
  const fits = regexOf(pattern);
  const names = (files.list(directory) ?? []).map(({ name }) => name);
  return names.filter((name) => fits.test(name) && (!name.startsWith(".") || pattern.startsWith(".")));
}

/** Merges the stars of one segment, so that matching takes at most linear time per star. */
function regexOf(pattern: string): RegExp {
  const source = pattern
    .replace(/\*{3,}/g, "**")
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => parts[part] ?? part.replace(special, "\\$&"))
    .join("");
  return new RegExp(`^${source}$`);
}

const parts: Readonly<Record<string, string>> = { "**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]" };
