import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCase } from "../conformance/case.ts";
import { dialectIds, readCases, readRequirements, uncoveredLines } from "../conformance/requirement.ts";
import { stateNode } from "./node-version.ts";
import { root, step } from "./step.ts";

interface Totals {
  total: number;
  passed: number;
  failed: number;
  requirements: { total: number; cited: number };
}

/** The seeds lie beside the repository; without them their coverage is left out, by name. */
const seeds = process.env["HOOKLINE_SEEDS"] ?? join(root, "../shared/seeds");

const { values } = parseArgs({ options: { dialect: { type: "string" }, json: { type: "boolean" } } });
stateNode();
const { dialects } = await import("@hookline/runtime/dialects");
const ids = dialectIds().filter((id) => values.dialect === undefined || id === values.dialect);
const failures: { id: string; why: string }[] = [];
const totals: Record<string, Totals> = {};
const tested = await testResults(ids);

for (const id of ids) {
  const file = readRequirements(id);
  const known = new Map(file.requirements.map((requirement) => [requirement.id, requirement]));
  const cited = new Set<string>();
  const of: Totals = { total: 0, passed: 0, failed: 0, requirements: { total: known.size, cited: 0 } };
  totals[id] = of;
  const count = (caseId: string, cites: readonly string[], problem: string | undefined): void => {
    of.total += 1;
    for (const requirement of cites) {
      if (!known.has(requirement)) failures.push({ id: caseId, why: `cites ${requirement}, which is no requirement` });
      cited.add(requirement);
    }
    const excused = cites.some((requirement) => known.get(requirement)?.status === "open");
    if (problem === undefined && excused && cites.every((requirement) => known.get(requirement)?.status === "open")) {
      failures.push({ id: caseId, why: "passes although its requirement is open: mark it met" });
    }
    if (problem === undefined || excused) of.passed += 1;
    else {
      of.failed += 1;
      failures.push({ id: caseId, why: problem });
    }
  };
  const dialect = dialects.find((one) => one.id === id);
  if (dialect === undefined) failures.push({ id, why: "there is no such dialect" });
  else for (const one of readCases(id)) count(one.id, one.cites, await runCase(one, dialect));
  for (const test of tested.filter(({ dialects: own }) => own.has(id)))
    count(
      test.name,
      test.cites.filter((cite) => cite.startsWith(`${id}.`)),
      test.problem,
    );
  for (const requirement of known.values()) {
    if (cited.has(requirement.id)) of.requirements.cited += 1;
    else if (requirement.status === "met")
      failures.push({ id: requirement.id, why: "is met by word only: no case cites it" });
    if (requirement.status !== "met" && (requirement.why ?? "") === "")
      failures.push({ id: requirement.id, why: `is ${requirement.status} without a reason` });
  }
  for (const [number, text] of seedTexts(file.requirements.map(({ seed }) => seed))) {
    const open = uncoveredLines(file, number, text);
    if (open.length > 0)
      failures.push({
        id: `seed ${number}`,
        why: `lines without a requirement: ${open.slice(0, 12).join(", ")}${open.length > 12 ? ` and ${open.length - 12} more` : ""}`,
      });
  }
}

const all = Object.values(totals);
const sum = (pick: (of: Totals) => number): number => all.reduce((total, of) => total + pick(of), 0);
const result = {
  total: sum((of) => of.total),
  passed: sum((of) => of.passed),
  failed: sum((of) => of.failed),
  requirements: { total: sum((of) => of.requirements.total), cited: sum((of) => of.requirements.cited) },
  dialects: totals,
  failures,
};
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  process.stdout.write("dialect   cases  passed  failed  requirements  cited\n");
  for (const [id, of] of Object.entries(totals)) {
    process.stdout.write(
      `${id.padEnd(8)} ${String(of.total).padStart(6)} ${String(of.passed).padStart(7)} ${String(of.failed).padStart(7)} ${String(of.requirements.total).padStart(13)} ${String(of.requirements.cited).padStart(6)}\n`,
    );
  }
  for (const { id, why } of failures) process.stdout.write(`${id}: ${why}\n`);
  process.stdout.write(`${result.passed} passed, ${result.failed + failures.length - result.failed} failed\n`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

function seedTexts(ranges: readonly string[]): [string, string][] {
  if (!existsSync(seeds)) {
    process.stderr.write("Seeds are not here: their line coverage is not checked.\n");
    return [];
  }
  const numbers = new Set(ranges.map((range) => range.slice(0, 3)));
  return readdirSync(seeds)
    .filter((name) => numbers.has(name.slice(0, 3)))
    .map((name) => [name.slice(0, 3), readFileSync(join(seeds, name), "utf8")]);
}

/** The tests that cite requirements in their names, with what became of them. */
async function testResults(
  wanted: readonly string[],
): Promise<{ name: string; cites: string[]; dialects: Set<string>; problem: string | undefined }[]> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-conformance-"));
  try {
    const output = join(folder, "tests.json");
    await step(
      "vitest",
      [
        "run",
        "--reporter=json",
        `--outputFile=${output}`,
        "-t",
        `\\[(${wanted.join("|")})\\.`,
        "dialect",
        "e2e",
        "seed",
      ],
      { quiet: true },
    );
    const report = JSON.parse(readFileSync(output, "utf8")) as {
      testResults: {
        assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
        message?: string;
        name: string;
      }[];
    };
    const tests = report.testResults.flatMap((file) => {
      const results = file.assertionResults.filter(({ status }) => status === "passed" || status === "failed");
      return file.assertionResults.length === 0 && file.message
        ? [{ fullName: `[${wanted[0]}.] ${file.name}`, status: "failed", failureMessages: [file.message] }]
        : results;
    });
    return tests.flatMap(({ fullName, status, failureMessages }) => {
      const cites = [...fullName.matchAll(/\[((?:\w+\.[\w.-]+)(?:[,\s]+\w+\.[\w.-]+)*)\]/g)].flatMap((match) =>
        (match[1] as string).split(/[,\s]+/),
      );
      const dialects = new Set(cites.map((cite) => cite.split(".")[0] as string).filter((id) => wanted.includes(id)));
      return cites.length === 0
        ? []
        : [
            {
              name: fullName,
              cites,
              dialects,
              problem: status === "passed" ? undefined : (failureMessages?.[0]?.split("\n")[0] ?? "failed"),
            },
          ];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
