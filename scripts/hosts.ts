import { table } from "../packages/hookline/src/io/table.ts";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { REAL } from "./hosts/real.ts";
import { runHost } from "./hosts/run.ts";

const { values, words } = commandLine({
  name: "hosts",
  says: "Runs the same five hooks in real agents behind the bridge, with a scripted model: what was promised, and what happened.",
  options: { json: { type: "boolean", says: "print the result as JSON" } },
  words: { called: "HOST", says: "only these agents", known: REAL.map(({ name }) => name) },
});
await buildAgent();
const chosen = REAL.filter(({ name }) => words.length === 0 || words.includes(name));
const runs = [];
for (const host of chosen) runs.push(await runHost(host));
const outcomes = runs.flatMap((run) => run.outcomes);
const problems = runs.flatMap(({ host, problems }) => problems.map((problem) => `${host}: ${problem}`));
if (values.json === true) process.stdout.write(`${JSON.stringify({ runs }, null, 2)}\n`);
else {
  const rows = outcomes.map(({ host, hook, dialect, promised, works, agrees }) => [
    host,
    hook,
    dialect,
    promised,
    works ? "works" : "does not",
    agrees ? "" : "DIFFERS",
  ]);
  process.stdout.write(table([["agent", "hook", "dialect", "promised", "happened", ""], ...rows]));
  for (const problem of problems) process.stdout.write(`${problem}\n`);
}
process.exitCode = problems.length === 0 && outcomes.length > 0 && outcomes.every(({ agrees }) => agrees) ? 0 : 1;
