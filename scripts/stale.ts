import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./step.ts";

/** Files and folders that packages are built from. A file that is removed changes its folder. */
const SOURCES = ["packages/*/{src,package.json,src/**}", "{native,scripts}/**", "package-lock.json"];

/** The first file that each build writes, and the last one of the agent's. */
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
