import { commandLine } from "./command-line.ts";
import { step } from "./step.ts";

const SOURCES = ["ground", "runtime", "bridge", "integrations", "hookline", "guards", "inspector", "fleet"].map(
  (name) => `packages/${name}/src`,
);

/** The checks that a change must pass before it is tested; each prints its own findings. */
const checks: readonly (readonly [string, string, readonly string[]])[] = [
  ["format and lint", "biome", ["check", "--error-on-warnings", "."]],
  ["types", "tsc", ["--noEmit", "-p", "."]],
  ["types of the page", "tsc", ["--noEmit", "-p", "packages/inspector"]],
  ["promises and exhaustiveness", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["layers", "node", ["scripts/layers.ts"]],
  ["house rules", "node", ["scripts/house.ts"]],
  ["declared dependencies", "node", ["--conditions=hookline-source", "scripts/declared.ts"]],
  ["generated files", "node", ["--conditions=hookline-source", "scripts/gen.ts", "--check"]],
  ["what rows need", "node", ["--conditions=hookline-source", "scripts/rows.ts"]],
  ["deviations", "node", ["--conditions=hookline-source", "scripts/deviations.ts"]],
  ["documents", "node", ["--conditions=hookline-source", "scripts/docs.ts", "--text"]],
  ["dead code", "knip", ["--no-progress"]],
  // Fifty tokens in six lines are the size of the shortest function that was ever copied here; forty would also match
  // lists of fields and signatures.
  [
    "copied code",
    "jscpd",
    [
      "--format=typescript,tsx",
      "--min-tokens=50",
      "--min-lines=6",
      "--ignore-pattern=import\\s[^;]*;",
      "--exit-code=1",
      ...SOURCES,
    ],
  ],
];

commandLine({ name: "check", says: "Runs the checks that a change must pass before it is tested." });
const rows: string[] = [];
let failed = 0;
for (const [name, program, args] of checks) {
  const started = performance.now();
  const code = await step(program, args);
  if (code !== 0) failed += 1;
  rows.push(
    `${code === 0 ? "ok    " : "FAILED"}  ${name.padEnd(28)} ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}
process.stdout.write(`\n${rows.join("\n")}\n${checks.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
