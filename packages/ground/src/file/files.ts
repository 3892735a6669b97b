/** An entry of a folder. Links are not followed. */
export interface DirEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** Facts about a file that can be known without reading it. */
export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** The time when content or attributes last changed, in ms since 1970; absent if the system does not report it. */
  readonly ctimeMs?: number;
  /** The permission bits. */
  readonly mode: number;
  /** The number of hard links. */
  readonly names?: number;
  /** An identity that all hard links of a file share; absent if the system has none. */
  readonly id?: string;
  /** Whether somebody else may change the file: its owner is neither this user nor root, or all can write to it. */
  readonly isOthers?: boolean;
}

/**
 * Functions with which hooks are discovered on the disk. They return `undefined` for missing paths, and never throw.
 */
export interface Files {
  read(path: string): Uint8Array | undefined;
  /** Returns the first two bytes of a file, by which a program with `#!` is recognised; default: all that `read` does. */
  head?(path: string): Uint8Array | undefined;
  /** Returns facts about the file or folder at a path, following links. */
  stat(path: string): FileStat | undefined;
  /** Returns the entries sorted bytewise by name, so that discovery is the same on every machine. */
  list(path: string): readonly DirEntry[] | undefined;
  /** Returns the path with all links resolved. */
  real(path: string): string | undefined;
  /** Returns why an existing path cannot be read, such as a dangling link; `undefined` if it is readable or missing. */
  fault?(path: string): string | undefined;
}
