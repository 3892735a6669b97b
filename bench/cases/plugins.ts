import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchCase, Measured } from "../case.ts";
import { newHome, PLUGINS, writePlugins } from "../programs/config-set.ts";

const opener = join(import.meta.dirname, "../programs/opener.ts");
const HOOKS_PER_PLUGIN = 2;

/** One reading in a fresh process. */
function fresh(...args: readonly string[]): Measured {
  return async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", opener, ...args]);
    return Number(stdout);
  };
}

export const cases: readonly BenchCase[] = [
  {
    // The floor is one file with all the answers in it; the peer asks every plugin, all at once.
    name: "plugins-schema-warm",
    unit: `start with ${PLUGINS} plugins`,
    peerName: "asking each",
    budget: { toPeer: 0.5 / 54 },
    n: 1,
    rounds: 11,
    async open() {
      const home = newHome();
      const { plugins, answers } = writePlugins(home);
      return {
        ours: fresh("chibi", home.path, String(PLUGINS * HOOKS_PER_PLUGIN)),
        floor: fresh("text", answers),
        peer: fresh("ask", ...plugins),
        close: async () => home.remove(),
      };
    },
  },
];
