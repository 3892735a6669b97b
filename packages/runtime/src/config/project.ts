import { dirname, join, relative, sep } from "node:path";
import type { Files } from "../port/files.ts";

/** The folders that matter for a project's definitions. */
export interface Place {
  /** Absolute. */
  readonly cwd: string;
  readonly files: Files;
  /** The person's home folder, absolute. */
  readonly home?: string;
}

/**
 * The project folder of a session: the nearest one upwards that is under version control, else the session's own. A
 * home folder under version control is not a project.
 */
export function projectRoot({ cwd, home, files }: Place): string {
  const start = files.real(cwd) ?? cwd;
  const end = home === undefined ? undefined : (files.real(home) ?? home);
  for (let folder = start; ; folder = dirname(folder)) {
    if (end !== undefined && isInside(end, folder)) return start;
    if ([".git", ".hg", ".jj"].some((name) => files.stat(join(folder, name)) !== undefined)) return folder;
    if (dirname(folder) === folder) return start;
  }
}

/** Whether a path is a folder or is below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The smallest folder that contains all these paths; `within` if no folder of it does. */
export function commonFolder(paths: readonly string[], within: string): string {
  const inside = paths.filter((path) => isInside(path, within)).map((path) => dirname(path));
  const [first = within] = inside;
  let folder = first;
  while (!inside.every((path) => isInside(path, folder)) && folder !== within) folder = dirname(folder);
  return relative(within, folder).startsWith("..") ? within : folder;
}
