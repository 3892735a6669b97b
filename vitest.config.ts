import { defineConfig } from "vitest/config";

/** Tests read the packages' sources; only the tests of the built command line use `dist`, which `scripts/test.ts` builds first. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"], externalConditions: ["source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts", "conformance/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
