/** A name in a folder; a link is not followed. */
export interface DirEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** What is known of a file without reading it. */
export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** Permission bits only. */
  readonly mode: number;
}

/** The file system as discovery needs it. Everything absent is `undefined`; nothing throws for a missing path. */
export interface Files {
  read(path: string): Uint8Array | undefined;
  /** Follows links. */
  stat(path: string): FileStat | undefined;
  /** Entries sorted bytewise by name, so that discovery is the same everywhere. */
  list(path: string): readonly DirEntry[] | undefined;
  /** The path with all links resolved. */
  real(path: string): string | undefined;
  /** Why what is there cannot be read, such as a link that leads nowhere; `undefined` for what is readable or absent. */
  fault?(path: string): string | undefined;
}
