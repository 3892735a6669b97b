import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { replacedInTests } from "./scripts/replaced-modules.ts";

const asked = process.env["HOOKLINE_TESTS"];

/**
 * What takes minutes is run by scripts of its own: `npm run differential`, `npm run inspector-tests`, `npm run fleet-tests`
 * and `npm run test:programs`. With `programs` the latter are among the tests.
 */
const apart = [
  ...(asked === "differential" ? [] : ["packages/hookline/test/differential/**"]),
  ...(asked === "programs" ? [] : ["packages/hookline/test/e2e/**", "**/*.programs.test.ts"]),
  ...(asked === "inspector" ? [] : ["**/*.browser.test.ts"]),
  ...(asked === "fleet" ? [] : ["**/*.fleet.test.ts"]),
];

/** Tests read the packages' sources; only the tests of the built command line use `dist`, which `scripts/test.ts` builds first. */
export default defineConfig({
  plugins: [replacedInTests],
  resolve: { conditions: ["hookline-source"] },
  ssr: { resolve: { conditions: ["hookline-source"], externalConditions: ["hookline-source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts", "conformance/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/fixtures/**", ...apart],
    // Each run has a home of its own: what a test does in `~` must not reach that of the person who runs it.
    globalSetup: "scripts/test-home.ts",
    setupFiles: ["scripts/test-seed.ts"],
    // Modules are replaced in what is not left to Node.
    server: { deps: { inline: [/@earendil-works\/pi-ai\/dist\/api/] } },
    // A limit ends what hangs. It says nothing about speed: a busy machine takes many times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests wait for child processes and timers for about a third of their time, those of whole programs for longer.
    maxWorkers: Math.ceil(availableParallelism() * (asked === "programs" || asked === "differential" ? 2 : 1.5)),
    pool: "forks",
  },
});
