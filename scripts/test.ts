import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildForTests } from "./build.ts";
import { stateNode } from "./node-version.ts";
import { root, step } from "./step.ts";

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

if (process.argv.includes("--help")) {
  process.stdout.write(
    "npm test [-- FILE…]\n\nBuilds, then runs all tests, or those of files with such names. Options go to vitest.\n",
  );
  process.exit(0);
}
stateNode();
await buildForTests();
const kind = process.env["HOOKLINE_TESTS"];
const output = join(root, kind === undefined ? ".cache/tests.json" : `.cache/tests-${kind}.json`);
mkdirSync(join(root, ".cache"), { recursive: true });
rmSync(output, { force: true });
const code = await step("vitest", [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${output}`,
  ...process.argv.slice(2),
]);
// Without a report, vitest itself has printed why it ran nothing.
if (!existsSync(output)) process.exit(code === 0 ? 1 : code);
const results = JSON.parse(readFileSync(output, "utf8")) as Results;
const skipped = results.testResults.flatMap(({ assertionResults }) =>
  assertionResults.filter(({ status }) => status === "skipped" || status === "pending").map(({ fullName }) => fullName),
);
for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);
process.stdout.write(
  `${results.numPassedTests} passed, ${results.numFailedTests + (code !== 0 && results.numFailedTests === 0 ? 1 : 0)} failed, ${skipped.length} skipped\n`,
);
// The variable is set on machines where everything that tests need can be installed: there a skipped test is an error.
const mayNotSkip = process.env["HOOKLINE_ALLOW_NO_SKIP"] === "1" && skipped.length > 0;
process.exitCode = code !== 0 ? code : mayNotSkip ? 1 : 0;
