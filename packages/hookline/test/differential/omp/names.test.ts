import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBench } from "../../agent/bench.ts";
import { peer } from "./peer.ts";

/** Names of the package's own tests, which no module of an author's uses. */
const OF_ITS_TESTS = /^__/;

/** The names that the real pi-utils exports. */
function realNames({ bun, folder }: { readonly bun: string; readonly folder: string }): string[] {
  const entry = JSON.stringify(join(folder, "../pi-utils/src/index.ts"));
  const ran = spawnSync(bun, ["-e", `console.log(JSON.stringify(Object.keys(await import(${entry}))))`], {
    encoding: "utf8",
  });
  return JSON.parse(ran.stdout).filter((name: string) => !OF_ITS_TESTS.test(name));
}

test.skipIf("absent" in peer)("a module finds every name of omp's pi-utils, and no other", async () => {
  if ("absent" in peer) return;
  const source = `import * as utils from "@oh-my-pi/pi-utils";
export default (omp) => { utils.parseFrontmatter; globalThis.ompNames = Object.keys(utils); omp.on("session_start", () => {}); };`;
  await startBench({ replies: [], files: { ".omp/extensions/names.ts": source } });
  const ours = (globalThis as { ompNames?: string[] }).ompNames ?? [];
  expect(ours.sort()).toEqual([...realNames(peer), "stripFrontmatter"].sort());
});
