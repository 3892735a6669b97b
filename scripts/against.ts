import { compareWith } from "../conformance/against.ts";
import { dialectIds, readCases } from "../conformance/requirement.ts";
import { commandLine } from "./command-line.ts";

const { values, words, refuse } = commandLine({
  name: "against",
  says: "Asks another runtime the cases. Its command reads one case a line and writes one answer a line; see\nconformance/README.md. Write -- once more before the command.",
  options: {
    dialect: { type: "string", value: "ID", says: "only this dialect's cases" },
    json: { type: "boolean", says: "the result as JSON" },
  },
  words: { called: "COMMAND", says: "the other runtime, and its arguments" },
});
const ids = dialectIds().filter((id) => values.dialect === undefined || id === values.dialect);
if (words.length === 0) refuse("Which command?");
if (ids.length === 0) refuse(`There is no dialect "${values.dialect}": ${dialectIds().join(", ")}.`);
const compared = await compareWith(
  words,
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
