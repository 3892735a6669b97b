import { isAbsolute, join, resolve, sep } from "node:path";
import type { Files } from "../port/files.ts";

/** The folders to which a command's words may refer. */
export interface ScriptPlaces {
  readonly cwd: string;
  /** What is known of the variables that a command may name, HOME among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** A folder that is searched for programs as well. */
  readonly folder?: string | undefined;
  /** Files elsewhere, such as interpreters, are not the hook's own. */
  readonly roots: readonly string[];
  readonly files: Files;
}

/** The files that a shell command visibly names: their bytes decide what the hook does. */
export function scriptsOf(command: string, places: ScriptPlaces): string[] {
  const { cwd, variables, folder, roots, files } = places;
  const found = new Set<string>();
  // A word may consist of quoted and unquoted parts.
  for (const [written] of command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"';|&()<>])+/g)) {
    const word = written.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    if (word === "" || word.startsWith("-") || word.includes("\0")) continue;
    const known = expand(word, variables);
    const isOwn = (path: string): boolean =>
      roots.some((root) => isInside(path, root)) && files.stat(path)?.kind === "file";
    const isWhole = isAbsolute(known);
    const path = isWhole ? known : resolve(cwd, known);
    if (isOwn(path)) found.add(path);
    else if (!isWhole && folder !== undefined && isOwn(join(folder, known))) found.add(join(folder, known));
  }
  return [...found];
}

function expand(word: string, variables: Readonly<Record<string, string>>): string {
  if (!/[~$]/.test(word)) return word;
  const home = variables["HOME"] ?? "";
  return word
    .replace(/^~(?=\/|$)/, home)
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? "";
      return Object.hasOwn(variables, name) ? (variables[name] as string) : whole;
    });
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The first missing file that a command names by a relative path, `./x` or `../x`. */
export function missingScript(command: string, places: ScriptPlaces): string | undefined {
  const { cwd, folder, files } = places;
  // After a change of folder, the path is relative to that folder.
  if (!command.includes("./") || /\b(?:cd|pushd)\s/.test(command)) return undefined;
  // The command itself may create the target of a redirection.
  for (const [, word] of command.matchAll(/(?:^|[\s;|&(])(?<!>\s*)["']?(\.{1,2}\/[\w@%+./-]*[\w])/g)) {
    const there = [cwd, folder].some(
      (base) => base !== undefined && files.stat(resolve(base, word as string)) !== undefined,
    );
    if (!there) return word;
  }
  return undefined;
}
