import { chmodSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { hooklineHomeOf, personHome } from "@hookline/runtime/internal";

/** Hookline's home: `$HOOKLINE_HOME` where it is absolute, else `~/.hookline`. */
export function hooklineHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return hooklineHomeOf(env, personHome(env));
}

/** The folder that holds one folder of sessions for each working directory. */
export function sessionsRoot(home: string = hooklineHome()): string {
  return join(home, "sessions");
}

/** The name of a working directory's folder: `--<path with - for separators>--`, as pi names it. */
export function directoryName(cwd: string): string {
  return `--${resolve(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;
}

/** The folder of a working directory's sessions. */
export function sessionDirectory(cwd: string, home?: string): string {
  return join(sessionsRoot(home), directoryName(cwd));
}

/** Takes the group's and others' rights away from a folder of hookline's own, where it can be done. */
export function tightenDirectory(path: string): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
  } catch {
    // Somebody else's folder: the files in it are private whatever its mode.
  }
}
