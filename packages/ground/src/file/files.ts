/** An entry of a folder; links are not followed. */
export interface DirEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** Facts about a file that need no reading. */
export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** When it was last changed in any way; absent where the system does not say. */
  readonly ctimeMs?: number;
  /** Permission bits only. */
  readonly mode: number;
  /** How many names the file has. */
  readonly names?: number;
  /** The same for all names of a file; absent where the system has none. */
  readonly id?: string;
  /** Somebody else may change it: it is neither this user's nor root's, or everybody may write to it. */
  readonly isOthers?: boolean;
}

/** The part of the file system that discovery needs. Missing paths give `undefined` and never throw. */
export interface Files {
  read(path: string): Uint8Array | undefined;
  /** Follows links. */
  stat(path: string): FileStat | undefined;
  /** Entries sorted bytewise by name, so that discovery is the same everywhere. */
  list(path: string): readonly DirEntry[] | undefined;
  /** The path with all links resolved; `undefined` if missing. */
  real(path: string): string | undefined;
  /** Why an existing path cannot be read, such as a dangling link; `undefined` if it is readable or absent. */
  fault?(path: string): string | undefined;
}
