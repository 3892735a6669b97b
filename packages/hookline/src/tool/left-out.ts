import type { Exclusion } from "@hookline/runtime/engine";

/** Returns the files that permission rules hide from tools. Is called for each tool call. */
export type Excludes = () => Exclusion | undefined;

/** Hides files and folders from one tool call, and counts them. */
export class LeftOut {
  readonly #tool: string;
  readonly #exclusion: Exclusion | undefined;
  #count = 0;

  constructor(tool: string, excludes: Excludes | undefined) {
    this.#tool = tool;
    this.#exclusion = excludes?.();
  }

  /** Returns a function that reports, and counts, hidden entries below a folder; `undefined` if none can be hidden. */
  below(folder: string): ((path: string, isFolder: boolean) => boolean) | undefined {
    const test = this.#exclusion?.below(folder, this.#tool);
    return test && ((path, isFolder) => test(path, isFolder) && ++this.#count > 0);
  }

  /** Whether permission rules hide the file under another path that is a hard link to it. `names` counts its links. */
  other(path: string, names: number): boolean {
    return names > 1 && this.#exclusion?.has(path, this.#tool) === true && ++this.#count > 0;
  }

  /** Says how many entries permission rules have hidden, without naming them; empty if there are none. */
  get notices(): string[] {
    if (this.#count === 0) return [];
    return [`${this.#count} ${this.#count === 1 ? "entry" : "entries"} left out because of rules about reading`];
  }
}
