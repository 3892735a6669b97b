import { type Deviation, dialectIds, type RequirementFile, readRequirements } from "../conformance/requirement.ts";
import { deviations as measuredOfPi } from "../packages/hookline/test/differential/deviations.ts";
import { deviations as measuredOfOmp } from "../packages/hookline/test/differential/omp/deviations.ts";
import { runDeviations as measuredInRunsOfOmp } from "../packages/hookline/test/differential/omp/run-deviations.ts";
import { commandLine } from "./command-line.ts";

/** Deviations that `npm run dev -- differential` excludes from its comparisons, by dialect and name. */
const MEASURED: Readonly<Record<string, object>> = {
  pi: measuredOfPi,
  omp: { ...measuredOfOmp, ...measuredInRunsOfOmp },
};

/** Returns the list for a dialect's README of where hookline departs from the dialect's program and its seeds. */
export function deviations(dialect: string): string {
  const file = readRequirements(dialect);
  return [...introduction(file.deviations ?? []), ...table(file.deviations ?? []), ...sentences(file)].join("\n");
}

const COLUMNS = [
  ["about", "what"],
  ["here", "in hookline"],
  ["there", "in the original"],
  ["why", "why"],
  ["measured", "measured as"],
] as const;

/** Returns the text before the table: what its columns mean. */
function introduction(rows: readonly Deviation[]): string[] {
  const isShown = (key: keyof Deviation): boolean => rows.some((row) => row[key] !== undefined);
  return [
    "These are the differences between hookline and the original, which is the agent's own program or the document that describes its hooks. Names such as *seed 001* and *spec/pi.md* mean such a document, *ruling 56* a rule of hookline: [What comments cite](../../../../docs/reference/sources.md) lists them.",
    "",
    ...(isShown("measured")
      ? [
          "*Measured as* is the name of the difference in `npm run dev -- differential`, which runs the program and hookline side by side; a dash means that no such run shows it.",
          "",
        ]
      : []),
  ];
}

/**
 * Returns deviations that are only in the dialect's README or only in the test data of `npm run dev -- differential`.
 */
export function unmatched(
  dialect: string,
  rows: readonly Deviation[],
  measured: object = MEASURED[dialect] ?? {},
): string[] {
  const tested = new Set(Object.keys(measured));
  const listed = rows.flatMap(({ measured: name }) => name ?? []);
  return [
    ...[...tested]
      .filter((name) => !listed.includes(name))
      .map(
        (name) =>
          `The differential tests allow "${name}", but conformance/requirements/${dialect}.yaml has no deviation with "measured: ${name}"; describe it there, so that its README tells authors.`,
      ),
    ...listed
      .filter((name) => !tested.has(name))
      .map(
        (name) =>
          `conformance/requirements/${dialect}.yaml says "measured: ${name}", but the differential tests know no such deviation; add it to their deviations.ts, or remove the key.`,
      ),
    ...listed
      .filter((name, at) => listed.indexOf(name) !== at)
      .map((name) => `conformance/requirements/${dialect}.yaml says "measured: ${name}" twice.`),
  ];
}

function table(rows: readonly Deviation[]): string[] {
  const columns = COLUMNS.filter(([key]) => rows.some((row) => row[key] !== undefined));
  return [
    `| ${columns.map(([, title]) => title).join(" | ")} |`,
    `|${columns.map(() => "---|").join("")}`,
    ...rows.map((row) => `| ${columns.map(([key]) => cell(row, key)).join(" | ")} |`),
    "",
  ];
}

/** Returns the sentences of the seeds from which hookline departs. */
function sentences({ requirements }: RequirementFile): string[] {
  const rows = requirements.filter(({ status }) => status === "deviates");
  if (rows.length === 0) return [];
  return [
    ...(rows.every(({ id }) => id.includes(".edge."))
      ? [
          "Every sentence of the document is a [requirement](../../../../docs/reference/requirements.md). In these, hookline does more than the document says, or something else:",
          "",
          "| requirement | seed and lines | what hookline does | why |",
        ]
      : [
          "Every sentence of the document is a [requirement](../../../../docs/reference/requirements.md). In these, hookline differs from the document, or the document from its program:",
          "",
          "| requirement | seed and lines | its sentence | what differs, and why |",
        ]),
    "|---|---|---|---|",
    ...rows.map(
      ({ id, seed, source, text, why = "" }) => `| \`${id}\` | ${seed ?? source} | ${piped(text)} | ${piped(why)} |`,
    ),
    "",
  ];
}

function cell(row: Deviation, key: (typeof COLUMNS)[number][0]): string {
  const text = piped(row[key] ?? "–");
  return key === "measured" && text !== "–" ? `\`${text}\`` : text;
}

function piped(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (import.meta.main) {
  commandLine({ name: "deviations", says: "Compares the READMEs' deviations with those of the differential tests." });
  const problems = dialectIds().flatMap((id) => unmatched(id, readRequirements(id).deviations ?? []));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
