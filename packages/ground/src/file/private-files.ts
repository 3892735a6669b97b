/** Small files that a dialect gives to its programs; only the user may read them. */
export interface PrivateFiles {
  /** Writes the whole file atomically, and creates its folder if needed. Throws the file system's errors. */
  write(path: string, text: string): void;
  /** Appends. Throws the file system's errors. */
  append(path: string, text: string): void;
  /** `undefined` if there is no readable file. */
  read(path: string): string | undefined;
  remove(path: string): void;
  /** Creates a folder if it is missing. Throws the file system's errors. */
  folder(path: string): void;
}
