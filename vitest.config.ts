import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { replacedInTests } from "./scripts/replaced-modules.ts";

const asked = process.env["HOOKLINE_TESTS"];

/**
 * Tests that take minutes have commands of their own, which set `HOOKLINE_TESTS`: `differential`, `inspector-tests`,
 * `fleet-tests` and `test:programs` of `npm run dev`.
 */
const apart = [
  ...(asked === "differential" ? [] : ["packages/hookline/test/differential/**"]),
  ...(asked === "programs" ? [] : ["packages/hookline/test/e2e/**", "**/*.programs.test.ts"]),
  ...(asked === "inspector" ? [] : ["**/*.browser.test.ts"]),
  ...(asked === "fleet" ? [] : ["**/*.fleet.test.ts"]),
];

/**
 * Files that need a process of their own, because they replace modules, or look at what is in memory or at what hooks have
 * left of a process. The others share processes, in which each module is loaded once: loading all of them for each file
 * takes half of the time of the tests again. Tests of programs load little, and start a program faster from a small
 * process, since a start copies the process's page tables; each file has its own.
 */
const alone = [
  "packages/fleet/test/work/hooks.test.ts",
  "packages/guards/test/commands/corpus.test.ts",
  "packages/hookline/test/agent/leftovers.test.ts",
  "packages/hookline/test/context/log.test.ts",
  "packages/hookline/test/provider/body-keys.test.ts",
  "packages/hookline/test/provider/streamed.test.ts",
  "packages/hookline/test/repository/home.test.ts",
  "packages/hookline/test/settings/windows-*.test.ts",
  "packages/hookline/test/tui/sitting.test.ts",
  "packages/integrations/test/in-process/exit-listener.test.ts",
  "packages/integrations/test/in-process/exit.test.ts",
  "packages/integrations/test/pi/load.test.ts",
  "packages/runtime/test/config/shapes.test.ts",
  "packages/runtime/test/module/cache.test.ts",
  "packages/runtime/test/module/guard.test.ts",
  "packages/runtime/test/process/*.test.ts",
  // These use esbuild themselves, whose process the loader of hooks ends when it has nothing left to do.
  "packages/hookline/test/inspect/export.test.ts",
  "packages/hookline/test/repository/workflows.test.ts",
  "packages/runtime/test/size.test.ts",
  // A process counts the secrets that it names; this one's must be the first.
  "packages/guards/test/public.test.ts",
];

const tests = ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts", "conformance/**/*.test.ts"];
const left = ["**/node_modules/**", "**/fixtures/**", ...apart];

/** Tests read the packages' sources; only the tests of the built command line use `dist`, which `scripts/test.ts` builds first. */
export default defineConfig({
  plugins: [replacedInTests],
  resolve: { conditions: ["hookline-source"] },
  ssr: { resolve: { conditions: ["hookline-source"], externalConditions: ["hookline-source"] } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: "together", isolate: asked === "programs", include: tests, exclude: [...left, ...alone] },
      },
      { extends: true, test: { name: "alone", include: alone, exclude: left } },
    ],
    // Each run has a home of its own: what a test does in `~` must not reach that of the person who runs it.
    globalSetup: "scripts/test-home.ts",
    setupFiles: ["scripts/test-seed.ts"],
    // Modules are replaced in what is not left to Node.
    server: { deps: { inline: [/@earendil-works\/pi-ai\/dist\/api/] } },
    // A limit ends what hangs. It says nothing about speed: a busy machine takes many times as long as an idle one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // Tests wait for child processes and timers for about a third of their time, those of whole programs for longer, and
    // those of a fleet for most of it.
    maxWorkers: Math.ceil(availableParallelism() * ({ programs: 2, differential: 2, fleet: 3 }[asked ?? ""] ?? 1.5)),
    pool: "forks",
  },
});
