import type { Contributions } from "./contribution.ts";

/** Files that rules hide from tools that search folders or read files which the call does not name. */
export interface Exclusion {
  /**
   * Returns a test for the entries below a folder that rules hide from `tool` (hookline's name), for a walk that
   * follows no links; `undefined` if nothing there is hidden.
   */
  below(folder: string, tool: string): ((path: string, isFolder: boolean) => boolean) | undefined;
  /** Returns whether rules hide a file from a tool under any of its names: links are followed, hard links compared. */
  has(path: string, tool: string): boolean;
}

/** Combines all the rules of a session that hide files from tools; `undefined` if there are none. */
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
