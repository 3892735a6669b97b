import type { Exclusion } from "@hookline/runtime/engine";

/** Gives what rules keep from tools, read at each call. */
export type Excludes = () => Exclusion | undefined;

/** Counts the entries that one call leaves out. */
export class LeftOut {
  readonly #tool: string;
  readonly #exclusion: Exclusion | undefined;
  #count = 0;

  constructor(tool: string, excludes: Excludes | undefined) {
    this.#tool = tool;
    this.#exclusion = excludes?.();
  }

  /** Returns a test for the entries of a walk, which counts those that it drops; `undefined` if it drops none. */
  below(folder: string): ((path: string, isFolder: boolean) => boolean) | undefined {
    const test = this.#exclusion?.below(folder, this.#tool);
    return test && ((path, isFolder) => test(path, isFolder) && ++this.#count > 0);
  }

  /** Whether a file that has other names is left out for one of them. */
  other(path: string, names: number): boolean {
    return names > 1 && this.#exclusion?.has(path, this.#tool) === true && ++this.#count > 0;
  }

  /** A sentence that counts the entries left out, without their names; none if there were none. */
  get notices(): string[] {
    if (this.#count === 0) return [];
    return [`${this.#count} ${this.#count === 1 ? "entry" : "entries"} left out because of rules about reading`];
  }
}
