import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { realOf } from "./real-path.ts";

/** The folders and variables that are needed to find a program on the `PATH`. */
export interface Seeker {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the folders of `PATH` into which a project cannot have put a program: absolute ones outside of the project,
 * even with links resolved.
 */
export function trustedFolders({ env, ...at }: Seeker): readonly string[] {
  const project = projectOf(at);
  return (env["PATH"] ?? "")
    .split(delimiter)
    .filter(
      (folder) =>
        isAbsolute(folder) && !folder.endsWith(join("node_modules", ".bin")) && !isInProject(resolve(folder), project),
    );
}

/** Whether a path, or the target of its links, is in a project. */
export function isInProject(path: string, project: string | undefined): boolean {
  if (project === undefined) return false;
  return isBelow(path, project) || isBelow(realOf(path), realOf(project));
}

/**
 * Returns the folder of the project, whose files may be someone else's. Returns `undefined` if the working folder is
 * the home folder or above it.
 */
export function projectOf({ cwd, home }: Omit<Seeker, "env">): string | undefined {
  if (isBelow(home, cwd)) return undefined;
  for (let folder = cwd; !isBelow(home, folder); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) break;
  }
  return cwd;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}
