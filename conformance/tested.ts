import { readFileSync } from "node:fs";
import type { Proof } from "./report.ts";

/** As much of vitest's report in JSON as is read here. */
interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** The files of tests in a report. */
export function filesOf(path: string): string[] {
  return reportAt(path).testResults.map(({ name }) => name);
}

function reportAt(path: string): TestReport {
  return JSON.parse(readFileSync(path, "utf8")) as TestReport;
}

/** Requirement ids in square brackets, one or several. */
const CITED = /\[(\w+\.[\w.-]+(?:[,\s]+\w+\.[\w.-]+)*)\]/g;

/** The tests of a report that cite a requirement of this dialect in their names; a file that could not be run is one. */
export function proofsOf(path: string, dialect: string): Proof[] {
  const { testResults } = reportAt(path);
  return testResults.flatMap(({ name, message, assertionResults }) => {
    if (assertionResults.length === 0 && message) return [{ id: name, cites: [], problem: firstLine(message) }];
    return assertionResults.flatMap(({ fullName, status, failureMessages }) => {
      const cites = citedIn(fullName).filter((cite) => cite.startsWith(`${dialect}.`));
      if (cites.length === 0 || (status !== "passed" && status !== "failed")) return [];
      return [{ id: fullName, cites, problem: status === "passed" ? undefined : firstLine(failureMessages?.[0]) }];
    });
  });
}

function citedIn(name: string): string[] {
  return [...name.matchAll(CITED)].flatMap((match) => (match[1] as string).split(/[,\s]+/));
}

function firstLine(text = "failed"): string {
  return text.split("\n")[0] as string;
}
