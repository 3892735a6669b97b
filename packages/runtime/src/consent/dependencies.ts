import { basename, dirname, join, sep } from "node:path";
import type { Files } from "@hookline/ground";

/** Folders that a package manager fills, and the lock files that determine their content. */
const LOCKS: Readonly<Record<string, readonly string[]>> = {
  node_modules: [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
  ],
  ".venv": ["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "requirements.txt"],
  vendor: ["go.sum", "composer.lock", "Gemfile.lock", "Cargo.lock"],
};

/** A dependency folder, and the lock files that cover its content. */
export interface Represented {
  readonly folder: string;
  /** The lock files; empty if there are none, so that nothing says what the folder contains. */
  readonly by: readonly string[];
}

/** Returns the outermost dependency folder that contains or equals a path; `undefined` for other paths. */
export function dependencyFolder(path: string): string | undefined {
  const parts = path.split(sep);
  const at = parts.findIndex((part) => Object.hasOwn(LOCKS, part));
  return at < 0 ? undefined : parts.slice(0, at + 1).join(sep);
}

/**
 * Returns a dependency folder with the lock files that cover it: those in the nearest folder upwards that has any, up
 * to `root`.
 */
export function represented(files: Files, folder: string, root: string): Represented {
  const names = LOCKS[basename(folder)] ?? [];
  for (let at = dirname(folder); ; at = dirname(at)) {
    const by = names.map((name) => join(at, name)).filter((path) => files.stat(path)?.kind === "file");
    if (by.length > 0 || at === root || dirname(at) === at) return { folder, by };
  }
}
