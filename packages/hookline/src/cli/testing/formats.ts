import { cleanText } from "@hookline/ground";
import { ms, plain } from "@hookline/ground/system";
import type { Coverage } from "./coverage.ts";
import type { CaseResult } from "./run-case.ts";

/** A file of cases with its results. */
export interface FileResult {
  readonly path: string;
  /** Why the file's cases cannot be run. */
  readonly problems: readonly string[];
  readonly cases: readonly CaseResult[];
  readonly coverage?: Coverage;
}

/** The numbers of cases that came out as expected, and of those that did not. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Counts the results; a file whose cases cannot be run counts as one failed case. */
export function countsOf(files: readonly FileResult[]): Counts {
  const cases = files.flatMap((file) => file.cases);
  const failed = cases.filter(({ problems }) => problems.length > 0).length;
  return { passed: cases.length - failed, failed: failed + files.filter(({ problems }) => problems.length > 0).length };
}

/** Returns the results as text for a person: a line per case, with its problems below. */
export function asText(files: readonly FileResult[], name: (path: string) => string): string {
  const lines = files.flatMap(({ path, problems, cases, coverage }) => [
    plain(name(path)),
    ...problems.map((problem) => `  not run: ${plain(problem)}`),
    ...cases.flatMap(({ one, problems: wrong, ms: took }) => [
      `  ${wrong.length === 0 ? "ok    " : "FAILED"}  ${ms(took).padStart(6)} ms  ${plain(one.name)}${wrong.length === 0 ? "" : ` (line ${one.line})`}`,
      ...wrong.map((problem) => `                     ${plain(problem)}`),
    ]),
    ...(coverage === undefined ? [] : coverageLines(coverage)),
    "",
  ]);
  const { passed, failed } = countsOf(files);
  return `${[...lines, `${passed} passed, ${failed} failed`].join("\n")}\n`;
}

/** Lists what no case reaches, for a person who reads the results in another format. */
export function coverageText(files: readonly FileResult[], name: (path: string) => string): string {
  return files
    .flatMap(({ path, coverage }) =>
      coverage === undefined ? [] : [plain(name(path)), ...coverageLines(coverage), ""],
    )
    .join("\n");
}

function coverageLines({ hooks, asked, all }: Coverage): string[] {
  const rows = hooks.flatMap(({ source, event, cases, missing }) => {
    if (cases === 0) return [`  no case asks     ${plain(`${source} about ${event}`)}`];
    return missing.map(
      (word) => `  no case expects  ${plain(`${source} to ${word === "deny" ? "refuse" : "allow"} ${event}`)}`,
    );
  });
  return ["", `  ${asked} of ${all} hooks are asked by a case`, ...rows];
}

/** Returns the results in the Test Anything Protocol, version 14. */
export function asTap(files: readonly FileResult[], name: (path: string) => string): string {
  const all = pointsOf(files, name);
  const lines = all.flatMap(({ says, problems }, i) => [
    `${problems.length === 0 ? "ok" : "not ok"} ${i + 1} - ${plain(says).replaceAll("\\", "\\\\").replaceAll("#", "\\#")}`,
    ...(problems.length === 0
      ? []
      : ["  ---", "  problems:", ...problems.map((problem) => `    - ${JSON.stringify(plain(problem))}`), "  ..."]),
  ]);
  return `${["TAP version 14", `1..${all.length}`, ...lines].join("\n")}\n`;
}

/** Returns the results as JUnit's XML, which continuous integration reads. */
export function asJunit(files: readonly FileResult[], name: (path: string) => string): string {
  const suites = files.map((file) => {
    const all = pointsOf([file], name);
    const failures = all.filter(({ problems }) => problems.length > 0).length;
    const cases = all.map(({ says, problems, seconds, line }) => {
      const head = `    <testcase name="${escaped(says)}" classname="${escaped(name(file.path))}" file="${escaped(name(file.path))}" line="${line}" time="${seconds}"`;
      if (problems.length === 0) return `${head}/>`;
      const [first = ""] = problems;
      return `${head}>\n      <failure message="${escaped(first)}">${escaped(problems.join("\n"))}</failure>\n    </testcase>`;
    });
    const total = all.reduce((sum, { seconds }) => sum + seconds, 0);
    return [
      `  <testsuite name="${escaped(name(file.path))}" tests="${all.length}" failures="${failures}" time="${Math.round(total * 1e6) / 1e6}">`,
      ...cases,
      "  </testsuite>",
    ].join("\n");
  });
  const { passed, failed } = countsOf(files);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="hookline hooks test" tests="${passed + failed}" failures="${failed}">\n${suites.join("\n")}${suites.length > 0 ? "\n" : ""}</testsuites>\n`;
}

interface Point {
  readonly says: string;
  readonly problems: readonly string[];
  readonly seconds: number;
  readonly line: number;
}

function pointsOf(files: readonly FileResult[], name: (path: string) => string): Point[] {
  return files.flatMap(({ path, problems, cases }) => [
    ...(problems.length === 0 ? [] : [{ says: `${name(path)} can be run`, problems, seconds: 0, line: 1 }]),
    ...cases.map(({ one, problems: wrong, ms: took }) => ({
      says: `${name(path)}: ${one.name}`,
      problems: wrong,
      seconds: Math.round(took * 1000) / 1e6,
      line: one.line,
    })),
  ]);
}

/** Escapes a text for XML, and shows control characters as text, because XML cannot contain most of them. */
function escaped(text: string): string {
  return cleanText(text, { controls: "show" })
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
