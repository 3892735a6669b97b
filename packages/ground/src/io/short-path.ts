import { relative, sep } from "node:path";

/** The folders of a reader, for shortening paths. */
export interface Standpoint {
  readonly cwd: string;
  readonly home: string;
}

/** A path relative to the working folder, or with `~` for the home folder. */
export function shortPath(path: string, { cwd, home }: Standpoint): string {
  if (path.startsWith(cwd + sep)) return relative(cwd, path);
  return home !== "" && path.startsWith(home + sep) ? `~/${relative(home, path)}` : path;
}

/** A text in which all paths are shortened in this way. */
export function shortPaths(text: string, { cwd, home }: Standpoint): string {
  const inside = cwd === sep ? text : text.replaceAll(cwd + sep, "");
  return home === "" || home === sep ? inside : inside.replaceAll(home + sep, "~/");
}
