import { join } from "node:path";
import type { Files } from "@hookline/ground";
import { isInside } from "../dialect/project.ts";
import { dependencyFolder } from "./dependencies.ts";
import { isCode, type Language } from "./language.ts";
import { isPythonModule } from "./python.ts";
import type { SteadyFiles } from "./steady.ts";

/** Folders of a project in which all code belongs to its hooks; `*` is one name. */
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

/** The hooks' folder of a project that a file is in. */
export function hooksFolder(path: string, root: string): string | undefined {
  if (!isInside(path, root)) return undefined;
  for (const folder of HOOKS_FOLDERS) {
    const found = folder.exec(path)?.[1];
    if (found !== undefined && isInside(found, root)) return found;
  }
  return undefined;
}

const LEFT_OUT = /^(?:__pycache__|\.git|\.hg|\.svn|\.jj|cache|\.cache|logs?|state)$/;

/** A file of code in a folder. */
interface CodeFile {
  readonly path: string;
  readonly isLink: boolean;
}

/**
 * The code in a folder, recursively: files with the ending of a language, or a first line that names a program. Every hook
 * in the folder asks, and the answer is the same.
 */
export function codeIn(folder: string, files: SteadyFiles, most: number): readonly CodeFile[] {
  return files.once(`code ${most} ${folder}`, () => searchedForCode(folder, files, most));
}

function searchedForCode(folder: string, files: Files, most: number): CodeFile[] {
  const found: CodeFile[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined && found.length <= most; at = open.pop()) {
    for (const { name, kind } of files.list(at) ?? []) {
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

/** Whether a file's first line names the program that runs it. */
export function beginsAsProgram(path: string, files: Files): boolean {
  const { size = 0 } = files.stat(path) ?? {};
  if (size > 1024 * 1024) return false;
  const bytes = files.read(path);
  return bytes?.[0] === 0x23 && bytes[1] === 0x21;
}

/** The names in a folder that a language can load as modules, whatever they are called. */
export function modulesIn(folder: string, language: Language, files: Files): string[] {
  return (files.list(folder) ?? []).flatMap(({ name, kind }) => {
    const isFolder = kind === "directory" || (kind === "link" && files.stat(join(folder, name))?.kind === "directory");
    if (language !== "python") return !isFolder && /\.(?:pm|pl|rb|lua)$/.test(name) ? [name] : [];
    if (!isPythonModule(name, isFolder)) return [];
    return !isFolder || files.stat(join(folder, name, "__init__.py")) !== undefined ? [name] : [];
  });
}
