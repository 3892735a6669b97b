import type { Contributions } from "./contribution.ts";

/** Files that rules hide from tools that search folders or read files which the call does not name. */
export interface Exclusion {
  /**
   * Returns a test for the entries below a folder, for a walk that follows no links; `undefined` if nothing there is
   * excluded. `tool` is hookline's name of the tool.
   */
  below(folder: string, tool: string): ((path: string, isFolder: boolean) => boolean) | undefined;
  /** Returns whether a file is excluded by any of its names: links are followed, and hard links compared. */
  has(path: string, tool: string): boolean;
}

/** Combines all exclusions of a session; `undefined` if there are none. */
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
