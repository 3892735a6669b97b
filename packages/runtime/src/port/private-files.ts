/** Small files that a dialect hands to its programs; nobody but the person may read them. */
export interface PrivateFiles {
  /** Writes the whole file, which is never seen half written, and makes its folder. Throws as the file system does. */
  write(path: string, text: string): void;
  /** Writes behind what is there. Throws as the file system does. */
  append(path: string, text: string): void;
  /** `undefined` where there is none that can be read. */
  read(path: string): string | undefined;
  remove(path: string): void;
  /** Makes a folder where there is none. Throws as the file system does. */
  folder(path: string): void;
}
