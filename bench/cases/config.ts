import { rmSync } from "node:fs";
import { join } from "node:path";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { type BenchCase, timedAsync } from "../case.ts";
import { importPeer } from "../peer.ts";
import { CONFIG_HOOKS, newHome, writeConfig } from "../programs/config-set.ts";
import { fresh } from "../programs/fresh.ts";

export const cases: readonly BenchCase[] = [
  {
    name: "config-cold",
    unit: `config of ${CONFIG_HOOKS} hooks`,
    budget: {},
    n: 1,
    rounds: 11,
    async open() {
      // The package is fetched before anything is timed.
      await importPeer("zod", "4.1.12");
      const home = newHome();
      const file = writeConfig(home);
      const ours = fresh("opener.ts", "jcli", home.path, String(CONFIG_HOOKS));
      return {
        async ours(n) {
          rmSync(join(home.path, ".hookline/cache"), { recursive: true, force: true });
          return ours(n);
        },
        peers: [{ name: "yaml and zod", measured: fresh("opener.ts", "zod", file), budget: 25 / 107 }],
        close: async () => home.remove(),
      };
    },
  },
  {
    // The peer reads the file again each time, like a program without a cache.
    name: "config-reload",
    unit: `config of ${CONFIG_HOOKS} hooks`,
    budget: {},
    n: 20,
    rounds: 9,
    async open() {
      const home = newHome();
      const file = writeConfig(home);
      const runtime = createHookRuntime({ dialects: [jcli], home: home.path, env: {} });
      const session = await runtime.open({ scene: { sessionId: "bench", cwd: home.path } });
      const [{ parse }, { readFileSync }] = await Promise.all([import("yaml"), import("node:fs")]);
      const parsing = timedAsync(async (n) => {
        for (let i = 0; i < n; i++) parse(readFileSync(file, "utf8"));
      });
      return {
        ours: timedAsync(async (n) => {
          for (let i = 0; i < n; i++) await session.load();
        }),
        peers: [{ name: "yaml", measured: parsing, budget: 0.5 }],
        async close() {
          await runtime.close();
          home.remove();
        },
      };
    },
  },
];
