import type { DirEntry, FileStat, Files } from "@hookline/ground";

/**
 * Reads each file only once, so that one check of a project is cheap and consistent. Results derived from the files are
 * kept too.
 */
export class SteadyFiles implements Files {
  readonly #derived = new Map<string, unknown>();
  readonly read: Files["read"];
  readonly head: Files["read"];
  readonly stat: Files["stat"];
  readonly list: Files["list"];
  readonly real: Files["real"];

  /** `asked` is called for each path before it is looked up; `isListed` means that a folder's content is read. */
  constructor(files: Files, asked: (path: string, isListed: boolean) => void = () => {}) {
    const first = <T>(look: (path: string) => T, isListed = false): ((path: string) => T) =>
      kept((path) => {
        asked(path, isListed);
        return look(path);
      });
    this.read = first<Uint8Array | undefined>((path) => files.read(path));
    this.head = first<Uint8Array | undefined>((path) => files.head?.(path) ?? files.read(path));
    this.stat = first<FileStat | undefined>((path) => files.stat(path));
    this.list = first<readonly DirEntry[] | undefined>((path) => files.list(path), true);
    this.real = first<string | undefined>((path) => files.real(path));
  }

  /**
   * Returns the result that is kept under a key, which names the question and the path; the first time, `work` computes
   * it.
   */
  once<T>(key: string, work: () => T): T {
    if (!this.#derived.has(key)) this.#derived.set(key, work());
    return this.#derived.get(key) as T;
  }
}

/** Wraps files so that each is read once; files that are wrapped already are returned unchanged. */
export function steady(files: Files): SteadyFiles {
  return files instanceof SteadyFiles ? files : new SteadyFiles(files);
}

function kept<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (known.has(path)) return known.get(path) as T;
    const found = look(path);
    known.set(path, found);
    return found;
  };
}
