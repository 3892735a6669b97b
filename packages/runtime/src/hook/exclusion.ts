import type { Contributions } from "./contribution.ts";

/** Files that rules keep from tools which walk folders or read files beside those that a call names. */
export interface Exclusion {
  /**
   * Returns a test for the entries below a folder, as a walk that follows no links finds them; `undefined` if nothing
   * there can be left out. Tools have the host's names.
   */
  below(folder: string, tool: string): ((path: string, isFolder: boolean) => boolean) | undefined;
  /** Whether a file is left out, by any of its names: links are followed, and hard links compared. */
  has(path: string, tool: string): boolean;
}

/** All exclusions of a session as one; `undefined` if there is none. */
export function exclusionOf(contributions: Contributions): Exclusion | undefined {
  const all = [...contributions.all<Exclusion>("exclusion").values()].map(({ value }) => value);
  if (all.length === 0) return undefined;
  return {
    below(folder, tool) {
      const tests = all.flatMap((one) => one.below(folder, tool) ?? []);
      if (tests.length === 0) return undefined;
      return (path, isFolder) => tests.some((test) => test(path, isFolder));
    },
    has: (path, tool) => all.some((one) => one.has(path, tool)),
  };
}
