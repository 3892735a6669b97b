import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./step.ts";

/**
 * Patterns of files and folders that packages are built from. Folders are included because a removed file changes its
 * folder's time.
 */
const SOURCES = ["packages/*/{src,package.json,src/**}", "{native,scripts}/**", "package-lock.json"];

/** The first file that each build writes, and the last one of the agent's build. */
const BUILT = [
  "runtime/dist/index.js",
  "fleet/dist/index.js",
  "hookline/dist/main.js",
  "hookline/dist/bridge-client.cjs",
];

/** Whether the library, the fleet or the agent must be built again before a test may start them. */
export function isStale(): boolean {
  const timeOf = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = Math.min(...BUILT.map((path) => timeOf(`packages/${path}`)));
  return globSync(SOURCES, { cwd: root }).some((path) => timeOf(path) > built);
}
