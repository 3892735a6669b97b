import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase, Measured, Subjects } from "../case.ts";
import { importPeer } from "../peer.ts";
import { smallExtension } from "../programs/agents.ts";
import { fresh } from "../programs/fresh.ts";
import { writeModules } from "../programs/module-set.ts";

const COUNT = 100;
/** As many as anybody has. */
const MANY = 1000;

/**
 * Measures loading the modules in a fresh process, with a cache from earlier runs (`warm`) or an empty one (`cold`).
 */
function loading(how: string, folder: string, state: "warm" | "cold"): Measured {
  const cache = join(folder, `cache-${how}`);
  const load = fresh("module-loader.ts", how, folder, cache);
  return (n) => {
    if (state === "cold") rmSync(cache, { recursive: true, force: true });
    return load(n);
  };
}

/** Returns the subjects of a case, whose warm-up round fills the caches. */
async function subjects(ours: string, state: "warm" | "cold", budget: number): Promise<Subjects> {
  // The package is fetched before anything is timed.
  await importPeer("jiti", "2.7.0");
  const { folder, remove } = await writeModules(COUNT);
  return {
    ours: loading(ours, folder, state),
    peers: [{ name: "jiti 2.7.0", measured: loading("jiti", folder, state), budget }],
    floor: loading("native", folder, state),
    close: async () => remove(),
  };
}

const common = { unit: "TypeScript module", n: COUNT };

/** The cases of loading modules. The floor is Node's own import of the same modules as JavaScript. */
export const cases: readonly BenchCase[] = [
  {
    name: `modules-${MANY}-cold`,
    unit: `session with ${MANY} extensions`,
    budget: { maxCount: 1e9 },
    n: 1,
    rounds: 3,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
      mkdirSync(join(folder, "ts"));
      for (let at = 0; at < MANY; at++) writeFileSync(join(folder, `ts/guard-${at}.ts`), smallExtension(at));
      return {
        ours: loading("host", folder, "cold"),
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  },
  {
    ...common,
    name: "modules-warm",
    budget: { toFloor: 0.8 },
    rounds: 15,
    open: () => subjects("transport", "warm", 1),
  },
  {
    ...common,
    name: "modules-cold",
    budget: {},
    rounds: 5,
    open: () => subjects("transport", "cold", 1 / 5),
  },
  {
    ...common,
    name: "modules-host-warm",
    budget: {},
    rounds: 15,
    open: () => subjects("host", "warm", 1.2),
  },
];
