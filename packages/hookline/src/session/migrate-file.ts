import { chmodSync, constants, copyFileSync, lstatSync } from "node:fs";
import { replaceFile } from "../file/replace.ts";
import type { LoadedSession } from "./load.ts";

/**
 * Rewrites a session file of an older version as a whole; throws what the file system throws, the file being as it was.
 * Of a damaged one the old file is kept as `<file>.v<version>.bak`, since what could not be read is not carried over.
 */
export function migrateFile(path: string, { migrated, damage }: LoadedSession): void {
  if (!migrated) return;
  if (damage.badLines > 0 || damage.torn) keep(path, `${path}.v${migrated.version}.bak`);
  replaceFile(path, migrated.lines);
}

function keep(path: string, copy: string): void {
  try {
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
  } catch (error) {
    // An attempt that failed later on has made it already.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !lstatSync(copy).isFile()) throw error;
  }
  chmodSync(copy, 0o600);
}
