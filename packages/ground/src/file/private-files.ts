/** Reads and writes files that a dialect keeps for its hooks, such as a transcript. Only the user can read them. */
export interface PrivateFiles {
  /** Writes the whole file atomically, and creates its folder if needed. Throws file system errors. */
  write(path: string, text: string): void;
  /** Appends to a file. Throws file system errors. */
  append(path: string, text: string): void;
  /** Returns a file's text; `undefined` if there is no readable file. */
  read(path: string): string | undefined;
  remove(path: string): void;
  /** Creates a folder if it is missing. Throws file system errors. */
  folder(path: string): void;
}
