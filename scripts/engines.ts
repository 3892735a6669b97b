import { join } from "node:path";
import { peerFolder } from "../bench/peer.ts";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";

/** Engines other than Node that run the library, each with its version and the arguments before a script. */
const ENGINES = {
  bun: {
    name: `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`,
    version: "1.4.5",
    file: "bin/bun",
    args: ["--bun"],
    vitest: [],
  },
  deno: {
    name: `@deno/linux-${process.arch === "arm64" ? "arm64" : "x64"}-glibc`,
    version: "2.9.6",
    file: "deno",
    args: ["run", "-A"],
    // vitest's threads end with a call that Deno lacks. A failing test still fails the run.
    vitest: ["--dangerouslyIgnoreUnhandledErrors"],
  },
} as const;

/** Tests that are left out: their programs open `/dev/stdin` by name, or they compare a path of the engine itself. */
const LEFT_OUT = ["judges a call of any size", "gets the whole prompt", "whatever their size", "is run by sh"];

const TESTS = ["jcli", "claude", "chibi"].map((dialect) => `packages/integrations/test/${dialect}/`);

const { words } = commandLine({
  name: "engines",
  says: "Runs the tests of hooks that are programs under Bun and Deno, from npm.",
  words: { called: "NAME", says: "only these engines", known: Object.keys(ENGINES) },
});
const engines = Object.entries(ENGINES).filter(([engine]) => words.length === 0 || words.includes(engine));
let failed = 0;
for (const [engine, { name, version, file, args, vitest }] of engines) {
  process.stdout.write(`\n${engine} ${version}\n`);
  const code = await step(join(peerFolder(name, version), file), [
    ...args,
    "--conditions=hookline-source",
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    ...vitest,
    // Both engines lack functions that vitest's other pools use.
    "--pool=threads",
    "--reporter=dot",
    "--testNamePattern",
    `^(?!.*(?:${LEFT_OUT.join("|")}))`,
    ...TESTS,
  ]);
  if (code !== 0) failed++;
}
process.stdout.write(`${engines.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
