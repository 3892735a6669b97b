import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Case } from "../conformance/case.ts";
import { countOf } from "../conformance/count.ts";
import {
  type Finding,
  misnamed,
  type Proof,
  reportOn,
  sum,
  type Totals,
  unasked,
  uncited,
} from "../conformance/report.ts";
import { dialectIds, readCases, readRequirements } from "../conformance/requirement.ts";
import { runCase } from "../conformance/run.ts";
import { filesOf, proofsOf } from "../conformance/tested.ts";
import { messageOf } from "../packages/ground/src/error/error.ts";
import { buildForTests } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";

/** The seeds are in a folder beside the repository; without it, their coverage is skipped and the output says so. */
const seeds = process.env["HOOKLINE_SEEDS"] ?? join(root, "../shared/seeds");

/** Name of the folder of cases in which hooks of several dialects run together. */
const TOGETHER = "together";

const { values, words, refuse } = commandLine({
  name: "conformance",
  says: "Tests the dialects against their requirements.",
  options: {
    dialect: { type: "string", value: "ID", says: "only this one" },
    json: { type: "boolean", says: "the result as JSON" },
  },
  words: { called: "REPORT", says: "a report of tests that have run, from .cache; they are not run again" },
});
const { dialects } = await import("@hookline/runtime/dialects");
const ids = dialectIds().filter((id) => values.dialect === undefined || id === values.dialect);
const failures: Finding[] = [];
const totals: Record<string, Totals> = {};
if (ids.length === 0) refuse(`There is no dialect "${values.dialect}": ${dialectIds().join(", ")}.`);
if (!existsSync(seeds)) process.stderr.write("Seeds are not here: their line coverage is not checked.\n");

const folder = mkdtempSync(join(tmpdir(), "hookline-conformance-"));
try {
  const tests = join(folder, "tests.json");
  const tested = runTests(tests);
  const proved = new Map<string, Proof[]>();
  for (const id of ids) proved.set(id, await casesOf(id));
  await tested;
  const reports = [...words, tests].filter((path) => existsSync(path));
  if (!reports.includes(tests)) failures.push({ id: "tests", why: "could not be run; see `npm test`" });
  for (const id of ids) {
    const file = readRequirements(id);
    const proofs = [...(proved.get(id) ?? []), ...reports.flatMap((path) => proofsOf(path, id))];
    const report = reportOn(file, proofs, seedTexts(file.requirements.map(({ seed = "" }) => seed)));
    totals[id] = report.totals;
    failures.push(...report.failures);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const counts = Object.fromEntries(Object.keys(totals).map((id) => [id, countOf(id)]));
const result = { ...sum(Object.values(totals)), dialects: totals, counts, failures };
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  const row = (...cells: (string | number)[]): string =>
    `${String(cells[0]).padEnd(9)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(13))
      .join("")}\n`;
  process.stdout.write(row("dialect", "proofs", "passed", "failed", "requirements", "cited"));
  for (const [id, { total, passed, failed, requirements }] of Object.entries(totals))
    process.stdout.write(row(id, total, passed, failed, requirements.total, requirements.cited));
  for (const { id, why } of failures) process.stdout.write(`${id}: ${why}\n`);
  process.stdout.write(`${result.passed} passed, ${failures.length} failed\n`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

async function casesOf(id: string): Promise<Proof[]> {
  const played = id === TOGETHER ? dialects : dialects.filter((one) => one.id === id);
  if (played.length === 0) {
    failures.push({ id, why: "there is no such dialect" });
    return [];
  }
  let cases: Case[];
  try {
    cases = readCases(id);
  } catch (thrown) {
    failures.push({ id: `${id} cases`, why: messageOf(thrown) });
    return [];
  }
  failures.push(...misnamed(cases), ...uncited(cases));
  if (id !== TOGETHER) failures.push(...played.flatMap((dialect) => unasked(cases, dialect)));
  const proofs: Proof[] = [];
  for (const one of cases) proofs.push({ id: one.id, cites: one.cites, problem: await runCase(one, played) });
  return proofs;
}

/** Runs the tests that name requirements, if they have not run; some need the built command line. */
async function runTests(report: string): Promise<void> {
  await buildForTests();
  const ran = words.flatMap((path) => filesOf(path).flatMap((file) => ["--exclude", relative(root, file)]));
  const named = `\\[(${ids.join("|")})\\.`;
  await step(
    "vitest",
    [
      "run",
      "--reporter=json",
      `--outputFile=${report}`,
      "-t",
      named,
      "integrations/test",
      "e2e",
      "seed",
      "tui",
      "agent/left-out",
      ...ran,
    ],
    { quiet: true, env: { HOOKLINE_TESTS: "programs" } },
  );
}

function seedTexts(ranges: readonly string[]): [string, string][] {
  if (!existsSync(seeds)) return [];
  const numbers = new Set(ranges.flatMap((range) => [...String(range).matchAll(/(\d{3}):/g)].map((match) => match[1])));
  return readdirSync(seeds)
    .filter((name) => numbers.has(name.slice(0, 3)))
    .map((name) => [name.slice(0, 3), readFileSync(join(seeds, name), "utf8")]);
}
