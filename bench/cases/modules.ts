import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { smallExtension } from "../programs/agents.ts";
import { fresh } from "../programs/fresh.ts";

/** As many as anybody has. */
const MANY = 1000;

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
      const cache = join(folder, "cache");
      const load = fresh("module-loader.ts", folder, cache);
      return {
        ours(n) {
          rmSync(cache, { recursive: true, force: true });
          return load(n);
        },
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  },
];
