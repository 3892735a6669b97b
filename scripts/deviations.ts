import { type Deviation, type RequirementFile, readRequirements } from "../conformance/requirement.ts";

/** What a dialect's README says of where hookline departs from its program and its seeds. */
export function deviations(dialect: string): string {
  const file = readRequirements(dialect);
  return [...table(file.deviations ?? []), ...sentences(file)].join("\n");
}

const COLUMNS = [
  ["about", "what"],
  ["there", "the program or the seed"],
  ["here", "here"],
  ["why", "why"],
] as const;

function table(rows: readonly Deviation[]): string[] {
  const columns = COLUMNS.filter(([key]) => rows.some((row) => row[key] !== undefined));
  return [
    `| ${columns.map(([, title]) => title).join(" | ")} |`,
    `|${columns.map(() => "---|").join("")}`,
    ...rows.map((row) => `| ${columns.map(([key]) => piped(row[key] ?? "")).join(" | ")} |`),
    "",
  ];
}

/** Sentences of the seeds that are decided otherwise. */
function sentences({ requirements }: RequirementFile): string[] {
  const rows = requirements.filter(({ status }) => status === "deviates");
  if (rows.length === 0) return [];
  return [
    "Of the requirements these are decided otherwise, or more closely than the seed has them:",
    "",
    "| requirement | seed | what is required or done | why |",
    "|---|---|---|---|",
    ...rows.map(
      ({ id, seed, source, text, why = "" }) => `| \`${id}\` | ${seed ?? source} | ${piped(text)} | ${piped(why)} |`,
    ),
    "",
  ];
}

function piped(text: string): string {
  return text.replaceAll("|", "\\|");
}
