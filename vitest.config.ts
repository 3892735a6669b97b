import { defineConfig } from "vitest/config";
import { replacedInTests } from "./scripts/replaced-modules.ts";

/** Tests read the packages' sources; only the tests of the built command line use `dist`, which `scripts/test.ts` builds first. */
export default defineConfig({
  plugins: [replacedInTests],
  resolve: { conditions: ["hookline-source"] },
  ssr: { resolve: { conditions: ["hookline-source"], externalConditions: ["hookline-source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts", "conformance/**/*.test.ts"],
    // Comparing with the real pi takes minutes and is a script of its own: npm run differential.
    exclude: [
      "**/node_modules/**",
      "**/fixtures/**",
      ...(process.env["HOOKLINE_DIFFERENTIAL"] === "1" ? [] : ["packages/hookline/test/differential/**"]),
    ],
    // Each run has a home of its own: what a test does in `~` must not reach that of the person who runs it.
    globalSetup: "scripts/test-home.ts",
    // Modules are replaced in what is not left to Node.
    server: { deps: { inline: [/@earendil-works\/pi-ai\/dist\/api/] } },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
