import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const UNUSUAL_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * Reads a path as a model writes it: unusual spaces become plain ones, one leading `@` is dropped,
 * `~` is the home folder and `file:` URLs are paths.
 */
export function expandPath(path: string, home: string = homedir()): string {
  const plain = path.replace(UNUSUAL_SPACES, " ").replace(/^@/, "");
  if (plain === "~") return home;
  if (plain.startsWith("~/")) return join(home, plain.slice(2));
  return plain.startsWith("file://") ? fileURLToPath(plain) : plain;
}

/** The absolute path that a tool will touch for a model's path. */
export function resolveToCwd(path: string, cwd: string): string {
  const expanded = expandPath(path);
  return isAbsolute(expanded) ? resolve(expanded) : resolve(cwd, expanded);
}

/**
 * The absolute path of a file to read. When nothing is there, the spellings that macOS gives to screenshots and
 * decomposed names are tried; the plain path is returned when none exists.
 */
export async function resolveReadPath(path: string, cwd: string): Promise<string> {
  const plain = resolveToCwd(path, cwd);
  if (existsSync(plain)) return plain;
  for (const candidate of spellings(plain)) if (await pathExists(candidate)) return candidate;
  return plain;
}

/** Whether something is at a path. */
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
