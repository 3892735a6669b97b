import { relative, sep } from "node:path";

/** The folders relative to which paths are shortened. */
export interface Standpoint {
  readonly cwd: string;
  readonly home: string;
}

/** Makes a path relative to the working folder, or to the home folder with `~`. Other paths stay. */
export function shortPath(path: string, { cwd, home }: Standpoint): string {
  if (path.startsWith(cwd + sep)) return relative(cwd, path);
  return home !== "" && path.startsWith(home + sep) ? `~/${relative(home, path)}` : path;
}

/** Shortens all paths in a text like `shortPath`. */
export function shortPaths(text: string, { cwd, home }: Standpoint): string {
  const inside = cwd === sep ? text : text.replaceAll(cwd + sep, "");
  return home === "" || home === sep ? inside : inside.replaceAll(home + sep, "~/");
}
