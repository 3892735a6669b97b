import { chmodSync, constants, copyFileSync, lstatSync } from "node:fs";
import { replaceFile } from "../file/replace.ts";
import type { LoadedSession } from "./load.ts";

/**
 * Rewrites a whole session file of an older version; throws file system errors and then leaves the file unchanged. If
 * the file is damaged, the old one is kept as `<file>.v<version>.bak`, since unreadable parts are not carried over.
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
    // An earlier attempt that failed later has already created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !lstatSync(copy).isFile()) throw error;
  }
  chmodSync(copy, 0o600);
}
