import { join } from "node:path";
import type { Files } from "@hookline/ground";
import { isInside } from "../dialect/project.ts";
import { dependencyFolder } from "./dependencies.ts";
import { isCode, type Language } from "./language.ts";
import { isPythonModule } from "./python.ts";
import type { SteadyFiles } from "./steady.ts";

/** Folders of a project whose code all belongs to its hooks; `*` matches one name. */
const HOOKS_FOLDERS = [
  ".claude/hooks",
  ".jcli",
  ".omp/hooks",
  ".pi/extensions/*",
  ".hookline/hooks",
  ".hookline/extensions",
  ".hookline/plugins",
  ".hookline/guards",
].map((folder) => new RegExp(`^(.*?/${folder.replaceAll(".", "\\.").replace("*", "[^/]+")})/.`));

/** Returns the project's hooks folder that contains a file; `undefined` if none does. */
export function hooksFolder(path: string, root: string): string | undefined {
  if (!isInside(path, root)) return undefined;
  for (const folder of HOOKS_FOLDERS) {
    const found = folder.exec(path)?.[1];
    if (found !== undefined && isInside(found, root)) return found;
  }
  return undefined;
}

const LEFT_OUT = /^(?:__pycache__|\.git|\.hg|\.svn|\.jj|cache|\.cache|logs?|state)$/;

/** A file with code that was found in a folder. */
interface CodeFile {
  readonly path: string;
  readonly isLink: boolean;
}

/** The most files and folders that are looked at to find the code in a folder. */
export const MOST_LOOKED_AT = 10_000;

/**
 * Returns the code files below a folder: those with a language's ending, or whose first line names a program; undefined
 * if the folder holds more than `MOST_LOOKED_AT` files and folders, which are then not searched further. The answer is
 * cached, because every hook in the folder asks.
 */
export function codeIn(folder: string, files: SteadyFiles, most: number): readonly CodeFile[] | undefined {
  return files.once(`code ${most} ${folder}`, () => searchedForCode(folder, files, most));
}

function searchedForCode(folder: string, files: SteadyFiles, most: number): CodeFile[] | undefined {
  const found: CodeFile[] = [];
  const open = [folder];
  let count = 0;
  for (let at = open.pop(); at !== undefined && found.length <= most; at = open.pop()) {
    for (const { name, kind } of files.list(at) ?? []) {
      if (++count > MOST_LOOKED_AT) return undefined;
      const path = join(at, name);
      const is = kind === "link" ? files.stat(path)?.kind : kind;
      if (is === "directory" && kind !== "link" && !LEFT_OUT.test(name) && dependencyFolder(path) === undefined)
        open.push(path);
      else if (is === "file" && (isCode(name) || beginsAsProgram(path, files)))
        found.push({ path, isLink: kind === "link" });
    }
  }
  return found;
}

/** Returns whether a file's first line names the program that runs it. */
export function beginsAsProgram(path: string, files: SteadyFiles): boolean {
  const { size = 0 } = files.stat(path) ?? {};
  if (size > 1024 * 1024) return false;
  const bytes = files.head(path);
  return bytes?.[0] === 0x23 && bytes[1] === 0x21;
}

/** Returns the names in a folder that a language could load as modules. */
export function modulesIn(folder: string, language: Language, files: Files): string[] {
  return (files.list(folder) ?? []).flatMap(({ name, kind }) => {
    const isFolder = kind === "directory" || (kind === "link" && files.stat(join(folder, name))?.kind === "directory");
    if (language !== "python") return !isFolder && /\.(?:pm|pl|rb|lua)$/.test(name) ? [name] : [];
    if (!isPythonModule(name, isFolder)) return [];
    return !isFolder || files.stat(join(folder, name, "__init__.py")) !== undefined ? [name] : [];
  });
}
