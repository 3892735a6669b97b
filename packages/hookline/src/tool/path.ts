import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { expandPath } from "@hookline/runtime/engine";

export { expandPath };

/** Makes a model's path absolute. */
export function resolveToCwd(path: string, cwd: string): string {
  const expanded = expandPath(path);
  return isAbsolute(expanded) ? resolve(expanded) : resolve(cwd, expanded);
}

/** Whether a path exists. */
export async function pathExists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Converts a native path to forward slashes, as tools print it. */
export function toPosix(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}
