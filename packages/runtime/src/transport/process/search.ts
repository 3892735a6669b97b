import { constants } from "node:os";
import { join } from "node:path";
import type { Libc } from "./libc.ts";

const { EACCES, ENODEV, ENOENT, ENOEXEC, ENOTDIR, ESTALE, ETIMEDOUT } = constants.errno;
/** For these the next place is tried. */
const GO_ON: readonly number[] = [EACCES, ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT];
const SHELL = "/bin/sh";

/** What is looked for, and where from. */
export interface Search {
  readonly file: string;
  /** The `PATH` of the process to be, not that of the host. */
  readonly path: string | undefined;
  readonly cwd: string;
}

/**
 * Starts a program as `execvp` does in a child that has its variables and directory already (POSIX.1-2017, `exec`).
 * `start` gives a pid or a negative error number for a path and the words that come before the arguments.
 */
export function startFound(
  { file, path, cwd }: Search,
  { isGnu, look }: Libc,
  start: (path: string, words: readonly string[]) => number,
): number {
  const attempt = (found: string): number => {
    const started = start(found, [file]);
    // glibc takes what the system does not know for a script without a first line; musl does not.
    return started === -ENOEXEC && isGnu ? start(SHELL, [SHELL, found]) : started;
  };
  // A directory that cannot be entered must not pass for a missing program.
  const closed = look(`${cwd}/.`);
  if (closed !== 0) return -closed;
  if (file.includes("/")) return attempt(file);
  let problem = -ENOENT;
  for (const place of (path ?? (isGnu ? "/bin:/usr/bin" : "/usr/local/bin:/bin:/usr/bin")).split(":")) {
    const found = place === "" ? file : `${place}/${file}`;
    // Looking costs a hundredth of trying.
    const missing = look(found.startsWith("/") ? found : join(cwd, found));
    const started = missing === 0 ? attempt(found) : -missing;
    if (!GO_ON.includes(-started)) return started;
    if (problem !== -EACCES) problem = started;
  }
  return problem;
}
