import { realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { isFields, parseJson } from "@hookline/ground";
import { readSourceSync } from "@hookline/ground/system";

const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "module-sync", "node-addons", "default"]);
const NAME = /^(@[^/\\%]+\/[^/\\%]+|[^@./\\%#][^/\\%]*)(\/.+)?$/;

/**
 * Returns the file of a package's export as Node resolves an `import` in `from`, with links resolved. If a `#` alias
 * leads to a builtin, returns the builtin's name. Without an `exports` map, and for `#` specifiers and a package's own
 * name, the rules of `require` apply.
 */
export function resolvePackage(specifier: string, from: string): string | undefined {
  const [, name, rest = ""] = NAME.exec(specifier) ?? [];
  const folder = name === undefined ? undefined : findPackage(name, dirname(from));
  const map = folder === undefined ? undefined : exportsOf(folder);
  if (folder === undefined || map === undefined) return requireResolve(specifier, from);
  const target = exported(map, `.${rest}`);
  if (target === undefined) return undefined;
  const path = join(folder, target);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? realpathSync.native(path) : undefined;
}

function requireResolve(specifier: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(specifier);
  } catch {
    return undefined;
  }
}

function findPackage(name: string, start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (basename(folder) !== "node_modules") {
      const candidate = join(folder, "node_modules", name);
      if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory()) return candidate;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function exportsOf(folder: string): unknown {
  try {
    const manifest: unknown = parseJson(readSourceSync(join(folder, "package.json")));
    if (typeof manifest !== "object" || manifest === null || !("exports" in manifest)) return undefined;
    return manifest.exports ?? undefined;
  } catch {
    return undefined;
  }
}

/** Resolves by Node's PACKAGE_EXPORTS_RESOLVE: exact keys first, then the longest pattern. */
function exported(map: unknown, subpath: string): string | undefined {
  const isTable = isFields(map) && Object.keys(map).some((key) => key.startsWith("."));
  if (!isTable) return subpath === "." ? target(map, "") : undefined;
  if (Object.hasOwn(map, subpath) && !subpath.includes("*")) return target(map[subpath], "");
  const patterns = Object.keys(map).filter((key) => key.includes("*"));
  patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length);
  for (const pattern of patterns) {
    const [before = "", after = ""] = pattern.split("*");
    if (!subpath.startsWith(before) || !subpath.endsWith(after) || subpath.length < pattern.length) continue;
    return target(map[pattern], subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

function target(value: unknown, match: string): string | undefined {
  if (typeof value === "string") return value.startsWith("./") ? value.replaceAll("*", () => match) : undefined;
  if (Array.isArray(value)) return firstOf(value, match);
  if (!isFields(value)) return undefined;
  return firstOf(
    Object.keys(value)
      .filter((condition) => CONDITIONS.has(condition))
      .map((condition) => value[condition]),
    match,
  );
}

function firstOf(values: readonly unknown[], match: string): string | undefined {
  for (const value of values) {
    // A null target means "not exported" and ends the search.
    if (value === null) return undefined;
    const found = target(value, match);
    if (found !== undefined) return found;
  }
  return undefined;
}
