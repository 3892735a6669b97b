import { parseArgs } from "node:util";
import { compareWith } from "../conformance/against.ts";
import { dialectIds, readCases } from "../conformance/requirement.ts";
import { stateNode } from "./node-version.ts";

const { values, positionals } = parseArgs({
  options: { dialect: { type: "string" }, json: { type: "boolean" } },
  allowPositionals: true,
});
stateNode();
const ids = dialectIds().filter((id) => values.dialect === undefined || id === values.dialect);
if (positionals.length === 0 || ids.length === 0) {
  process.stderr.write(
    "Use: npm run against -- [--dialect ID] [--json] -- COMMAND [ARGUMENT…]\nThe command reads one case a line and writes one answer a line; see conformance/README.md.\n",
  );
  process.exitCode = 2;
} else {
  const compared = await compareWith(
    positionals,
    ids.flatMap((id) => readCases(id)),
  );
  const count = (id: string, state: string): number =>
    compared.filter((one) => one.dialect === id && one.state === state).length;
  const totals = Object.fromEntries(
    ids.map((id) => [id, { held: count(id, "held"), differs: count(id, "differs"), leftOut: count(id, "left out") }]),
  );
  if (values.json) process.stdout.write(`${JSON.stringify({ dialects: totals, cases: compared })}\n`);
  else {
    for (const { id, why } of compared.filter(({ state }) => state === "differs"))
      process.stdout.write(`${id}: ${why}\n`);
    for (const [id, { held, differs, leftOut }] of Object.entries(totals))
      process.stdout.write(`${id.padEnd(9)} ${held} held, ${differs} differ, ${leftOut} left out\n`);
  }
  if (compared.some(({ state }) => state === "differs")) process.exitCode = 1;
}
