import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Files } from "@hookline/ground";

/** The folders that determine which project a session belongs to. */
export interface ProjectFolders {
  /** The session's working folder, absolute. */
  readonly cwd: string;
  readonly files: Files;
  /** The person's home folder, absolute. */
  readonly home?: string;
}

/**
 * Names of files and folders that mark a project. The nearest folder with one of the first list is the project; only if
 * there is none, the nearest with one of the second.
 */
const MARKERS: readonly (readonly string[])[] = [
  [".git", ".hg", ".jj"],
  [".hookline", "hookline.lock"],
];

/**
 * Returns the project folder of a session: the nearest one upwards under version control, else the nearest one with a
 * file of hookline's, else the working folder.
 */
export function projectRoot(place: ProjectFolders): string {
  const [start = place.cwd, ...above] = projectFolders(place);
  for (const names of MARKERS) {
    const marked = [start, ...above].find((folder) => hasOne(folder, names, place.files));
    if (marked !== undefined) return marked;
  }
  return start;
}

/**
 * Returns the folders in which a project may begin, from the working folder upwards. They end below the person's home,
 * and below any folder that another user may change.
 */
export function projectFolders({ cwd, home, files }: ProjectFolders): string[] {
  const start = files.real(cwd) ?? cwd;
  const end = home === undefined ? undefined : (files.real(home) ?? home);
  const folders = [start];
  if (end !== undefined && isInside(end, start)) return folders;
  for (let folder = dirname(start); folder !== dirname(folder); folder = dirname(folder)) {
    if ((end !== undefined && isInside(end, folder)) || files.stat(folder)?.isOthers) break;
    folders.push(folder);
  }
  return folders;
}

/** Returns the folders above the working folder up to the project's root, nearest first. */
export function projectAbove(place: ProjectFolders): string[] {
  const root = projectRoot(place);
  return projectFolders(place)
    .slice(1)
    .filter((folder) => isInside(folder, root));
}

/** Returns project markers, such as `/tmp/.git`, that are ignored because another user may change their folder. */
export function unusedMarkers(place: ProjectFolders): string[] {
  const { files, home } = place;
  const last = dirname(projectFolders(place).at(-1) ?? place.cwd);
  if (!files.stat(last)?.isOthers || (home !== undefined && isInside(files.real(home) ?? home, last))) return [];
  return MARKERS.flat()
    .map((name) => join(last, name))
    .filter((path) => files.stat(path) !== undefined);
}

/**
 * Returns whether a folder that a variable names belongs to the project, so that its hooks need an approval. A path
 * through `/proc` or `/dev/fd` counts as the project's, because it may lead there. A folder in `usual`, where the
 * variable's program looks without it, never does. `/`, the home and folders above it are no project.
 */
export function isOfProject(path: string, usual: string, place: ProjectFolders & { readonly home: string }): boolean {
  const { files } = place;
  const target = realAsFar(path, files);
  if (isInside(target, realAsFar(usual, files))) return false;
  if (/^\/(?:proc|dev\/fd)(?:\/|$)/.test(resolve(path))) return true;
  const root = projectRoot(place);
  return !isInside(realAsFar(place.home, files), root) && isInside(target, root);
}

/** Returns the real path of a path that need not exist: links are resolved in the part that does. */
export function realAsFar(path: string, files: Pick<Files, "real">): string {
  for (let [at, rest] = [resolve(path), ""]; ; rest = join(basename(at), rest), at = dirname(at)) {
    const real = files.real(at);
    if (real !== undefined) return join(real, rest);
    if (at === dirname(at)) return resolve(path);
  }
}

function hasOne(folder: string, names: readonly string[], files: Files): boolean {
  return names.some((name) => files.stat(join(folder, name)) !== undefined);
}

/** Returns whether a path is a folder or is below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Returns the deepest folder that contains all paths below `within`; `within` if there are none. */
export function commonFolder(paths: readonly string[], within: string): string {
  const inside = paths.filter((path) => isInside(path, within)).map((path) => dirname(path));
  const [first = within] = inside;
  let folder = first;
  while (!inside.every((path) => isInside(path, folder)) && folder !== within) folder = dirname(folder);
  return relative(within, folder).startsWith("..") ? within : folder;
}
