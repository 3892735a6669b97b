import type { Files } from "@hookline/ground";
import { SteadyFiles } from "./steady.ts";

/** The time in milliseconds after a change in which a file may change again without a new time stamp. */
const YOUNG_MS = 50;

/**
 * Repeats a function that reads files (`look`) only when a path that it has read has changed. Paths are compared by
 * device, inode, size and times. If a path's times cannot be relied on, the function is always repeated.
 */
export class Watch<T> {
  readonly #files: Files;
  readonly #look: (files: Files) => T;
  readonly #now: () => number;
  #stamps: ReadonlyMap<string, Stamp> = new Map();
  #last: { readonly value: T } | undefined;

  constructor(files: Files, now: () => number, look: (files: Files) => T) {
    this.#files = files;
    this.#now = now;
    this.#look = look;
  }

  /** The result of the function, which is called again if a path that it has read has changed. */
  get value(): T {
    if (this.#last === undefined || this.#hasChanged()) {
      const stamps = new Map<string, Stamp>();
      // `look` and the stamps see the same state of a path, because the path is read once for both.
      const files = new SteadyFiles(this.#files);
      const traced = new SteadyFiles(files, (path, isListed) => {
        const key = isListed ? `${path}/` : path;
        if (!stamps.has(key)) stamps.set(key, { path, isListed, text: this.#stampOf(path, isListed, files) });
      });
      this.#last = { value: this.#look(traced) };
      this.#stamps = stamps;
    }
    return this.#last.value;
  }

  #hasChanged(): boolean {
    for (const { path, isListed, text } of this.#stamps.values())
      if (text === undefined || this.#stampOf(path, isListed, this.#files) !== text) return true;
    return false;
  }

  #stampOf(path: string, isListed: boolean, files: Files): string | undefined {
    const stat = files.stat(path);
    if (stat === undefined) return "absent";
    const { id, kind, size, mtimeMs, ctimeMs, mode } = stat;
    // Changes inside a folder change its times, which matters only if the folder was listed.
    if (id !== undefined && kind === "directory" && !isListed) return [id, mode].join();
    if (id === undefined || ctimeMs === undefined || this.#now() - ctimeMs < YOUNG_MS) return undefined;
    return [id, size, mtimeMs, ctimeMs, mode].join();
  }
}

/** The state in which `look` saw a path; `text` is `undefined` if the path's times would not show a change. */
interface Stamp {
  readonly path: string;
  readonly isListed: boolean;
  readonly text: string | undefined;
}
