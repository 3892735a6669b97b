import type { BenchCase } from "../case.ts";
import { newHome, PLUGINS, writePlugins } from "../programs/config-set.ts";
import { fresh } from "../programs/fresh.ts";

const HOOKS_PER_PLUGIN = 2;

export const cases: readonly BenchCase[] = [
  {
    // The floor is one file with all answers in it; the peer asks all plugins at once.
    name: "plugins-schema-warm",
    unit: `start with ${PLUGINS} plugins`,
    budget: {},
    n: 1,
    rounds: 11,
    async open() {
      const home = newHome();
      const { plugins, answers } = writePlugins(home);
      return {
        ours: fresh("opener.ts", "chibi", home.path, String(PLUGINS * HOOKS_PER_PLUGIN)),
        floor: fresh("opener.ts", "text", answers),
        peers: [{ name: "asking each", measured: fresh("opener.ts", "ask", ...plugins), budget: 0.5 / 54 }],
        close: async () => home.remove(),
      };
    },
  },
];
