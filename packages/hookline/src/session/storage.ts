/** The operation on a session file that failed. */
export type StorageStep = "open" | "repair" | "write" | "sync" | "migrate" | "read";

/**
 * A report about a session's file. A failure is reported once when it begins and once when it is over. `set-aside`: a
 * torn end of the file was moved to `path`. `closed`: an entry was added after the session was closed; it is only in
 * memory.
 */
export type StorageReport =
  | {
      readonly state: "failing";
      readonly step: StorageStep;
      readonly path: string;
      /** The error code of the system, such as ENOSPC. */
      readonly code: string;
      /** The number of entries in memory that could not be written yet. */
      readonly pending: number;
      readonly message: string;
    }
  | { readonly state: "recovered"; readonly path: string; readonly message: string }
  | { readonly state: "set-aside"; readonly path: string; readonly bytes: number; readonly message: string }
  | { readonly state: "closed"; readonly path: string; readonly message: string };

/** Makes the report of a failure. */
export function failing(step: StorageStep, path: string, error: unknown, pending: number): StorageReport {
  const code = codeOf(error);
  const kept =
    pending === 0 ? "Nothing is lost" : `${pending} ${pending === 1 ? "entry is" : "entries are"} kept in memory`;
  const problem = error instanceof Error ? error.message : String(error);
  const message = `Session file ${path} could not be ${DONE[step]} (${problem}). ${kept}; ${remedy(code)}`;
  return { state: "failing", step, path, code, pending, message };
}

/** Returns the code of a file system error. */
export function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "EUNKNOWN";
}

const DONE: Readonly<Record<StorageStep, string>> = {
  open: "opened for writing",
  repair: "repaired",
  write: "written",
  sync: "synced to disk",
  migrate: "brought to the current format",
  read: "read",
};

function remedy(code: string): string {
  const again = "writing is tried again with the next entry.";
  if (code === "ENOSPC" || code === "EDQUOT") return `free space on the disk; ${again}`;
  if (code === "EFBIG") return `raise the limit on the size of files or start a new session; ${again}`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `make the file and its folder writable; ${again}`;
  if (code === "ELOOP") return `replace the symbolic link with the file itself; ${again}`;
  return again;
}
