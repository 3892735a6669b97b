import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { expandPath } from "@hookline/runtime/internal";

export { expandPath };

/** The absolute path of a model's path. */
export function resolveToCwd(path: string, cwd: string): string {
  const expanded = expandPath(path);
  return isAbsolute(expanded) ? resolve(expanded) : resolve(cwd, expanded);
}

/**
 * The absolute path of a file to read. If it does not exist, macOS's spellings of screenshot names and decomposed names
 * are tried; if none exists either, the plain path is returned.
 */
export async function resolveReadPath(path: string, cwd: string): Promise<string> {
  const plain = resolveToCwd(path, cwd);
  if (existsSync(plain)) return plain;
  for (const candidate of spellings(plain)) if (await pathExists(candidate)) return candidate;
  return plain;
}

/** Whether a path exists. */
export async function pathExists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** A native path with forward slashes, as tools print it. */
export function toPosix(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}

function spellings(path: string): Set<string> {
  const decomposed = path.normalize("NFD");
  return new Set([
    path,
    path.replace(/ (AM|PM)\./gi, "\u202F$1."),
    decomposed,
    path.replaceAll("'", "\u2019"),
    decomposed.replaceAll("'", "\u2019"),
  ]);
}
