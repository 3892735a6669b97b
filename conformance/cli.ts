import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { casesIn, OPTIONS, resultOf, written } from "./result.ts";

// The command of the package: its cases lie beside it, and its version in the folder above.
const folder = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(folder, "../package.json"), "utf8")) as { readonly version: string };
const USAGE = `hookline-conformance [OPTIONS] -- COMMAND…

Asks another runtime the cases of @hookline/conformance ${version}. COMMAND reads one case a line and writes one answer
a line; see README.md. Ends with 1 if a case differs.

${Object.entries(OPTIONS)
  .map(([name, option]) => `  --${`${name} ${"value" in option ? option.value : ""}`.padEnd(14)} ${option.says}\n`)
  .join("")}  --version        the version of the cases\n`;

try {
  const { values, positionals } = parseArgs({
    options: { ...OPTIONS, help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    allowPositionals: true,
  });
  const { help, version: isVersionAsked, ...chosen } = values;
  if (help === true) process.stdout.write(USAGE);
  else if (isVersionAsked === true) process.stdout.write(`${version}\n`);
  else if (positionals.length === 0) throw new Error("Which command?");
  else {
    const result = await resultOf(positionals, casesIn(folder, chosen), version);
    process.stdout.write(written(result, chosen));
    if (result.cases.some(({ state }) => state === "differs")) process.exitCode = 1;
  }
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${USAGE}`);
  process.exitCode = 2;
}
