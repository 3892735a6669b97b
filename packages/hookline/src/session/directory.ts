import { closeSync, constants, fchmodSync, fstatSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { hooklineHomeOf, personHome } from "@hookline/runtime/session";

/** Returns hookline's home: `$HOOKLINE_HOME` if it is absolute, otherwise `~/.hookline`. */
export function hooklineHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return hooklineHomeOf(env, personHome(env));
}

/** Returns the folder that contains one folder of sessions for each working directory. */
export function sessionsRoot(home: string = hooklineHome()): string {
  return join(home, "sessions");
}

/** Names the folder of a working directory as pi does: `--<path with - for separators>--`. */
export function directoryName(cwd: string): string {
  return `--${resolve(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;
}

/** Returns the folder with the sessions of a working directory. */
export function sessionDirectory(cwd: string, home?: string): string {
  return join(sessionsRoot(home), directoryName(cwd));
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Removes the rights of group and others from one of hookline's own folders, if possible. A link is not followed,
 * because its target may belong to somebody else.
 */
export function tightenDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, FOLDER);
    const stat = fstatSync(fd);
    if (stat.isDirectory() && (stat.mode & 0o077) !== 0) fchmodSync(fd, 0o700);
  } catch {
    // A failure does not matter: the files in the folder are private whatever its mode is.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
