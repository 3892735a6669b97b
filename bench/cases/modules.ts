import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BenchCase, Measured, Subjects } from "../case.ts";
import { importPeer } from "../peer.ts";
import { fresh } from "../programs/fresh.ts";
import { writeModules } from "../programs/module-set.ts";

const COUNT = 100;

/** Loads the modules in a fresh process; the cache is what earlier runs have left, or nothing. */
function loading(how: string, folder: string, state: "warm" | "cold"): Measured {
  const cache = join(folder, `cache-${how}`);
  const load = fresh("module-loader.ts", how, folder, cache);
  return (n) => {
    if (state === "cold") rmSync(cache, { recursive: true, force: true });
    return load(n);
  };
}

/** The warm-up round of a case fills the caches. */
async function subjects(ours: string, state: "warm" | "cold"): Promise<Subjects> {
  // Fetched before anything is timed.
  await importPeer("jiti", "2.7.0");
  const { folder, remove } = await writeModules(COUNT);
  return {
    ours: loading(ours, folder, state),
    peer: loading("jiti", folder, state),
    floor: loading("native", folder, state),
    close: async () => remove(),
  };
}

const common = { unit: "TypeScript module", peerName: "jiti 2.7.0", n: COUNT };

/** The floor is Node's own import of the same modules as JavaScript. */
export const cases: readonly BenchCase[] = [
  {
    ...common,
    name: "modules-warm",
    budget: { toFloor: 0.8, toPeer: 1 },
    rounds: 15,
    open: () => subjects("transport", "warm"),
  },
  {
    ...common,
    name: "modules-cold",
    budget: { toPeer: 1 / 5 },
    rounds: 5,
    open: () => subjects("transport", "cold"),
  },
  {
    ...common,
    name: "modules-host-warm",
    budget: { toPeer: 1.2 },
    rounds: 15,
    open: () => subjects("host", "warm"),
  },
  {
    ...common,
    name: "modules-host-cold",
    budget: { toPeer: 1 / 5 },
    rounds: 5,
    open: () => subjects("host", "cold"),
  },
];
