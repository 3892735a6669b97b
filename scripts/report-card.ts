import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { type CardRow, ROWS } from "./report-rows.ts";
import { root } from "./step.ts";

/** The result of one experiment. */
export interface Result {
  readonly name: string;
  readonly says: string;
  readonly n: number;
  readonly violations: number;
  readonly bound95: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}

/** A result as stored on the report card. */
interface Entry extends Result {
  /** The day of the run. */
  readonly date: string;
  readonly command: string;
  readonly machine: string;
}

const DATA = join(root, "docs/reference/report-card.json");
const PAGE = join(root, "docs/reference/report-card.md");

/** Stores results on the card, replacing older ones with the same names, and writes its page. */
export function writeCard(results: readonly Result[], command: string): void {
  const entries = new Map(readCard().map((entry) => [entry.name, entry]));
  const date = new Date().toISOString().slice(0, 10);
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} cores, ${memory} GB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  for (const result of results) entries.set(result.name, { ...result, date, command, machine });
  const order = Object.keys(ROWS);
  const rank = ({ name }: Entry): number => (order.includes(name) ? order.indexOf(name) : order.length);
  const sorted = [...entries.values()].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  writeFileSync(DATA, `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(PAGE, cardPage(sorted));
}

function readCard(): Entry[] {
  return existsSync(DATA) ? (JSON.parse(readFileSync(DATA, "utf8")) as Entry[]) : [];
}

/** Returns the page of the stored card. */
export function keptCard(): string {
  return cardPage(readCard());
}

function rowOf({ name, says }: Entry): CardRow {
  return ROWS[name] ?? { title: name, tried: says, least: 1 };
}

/** Returns the page of a card. */
function cardPage(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => {
    const { title, tried, least } = rowOf(entry);
    const cells = [
      `**${title}**: ${tried}`,
      `${entry.n.toLocaleString("en")}${entry.n >= least ? "" : ` (of ${least})`}`,
      String(entry.violations),
      entry.n === 0 ? "–" : percent(entry.bound95),
      duration(entry.seconds),
      entry.date,
      `\`${entry.name}\``,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const machines = [...new Set(entries.map(({ machine }) => machine))];
  return [
    "# Report card",
    "",
    "The promises of [SECURITY.md](../../SECURITY.md) are backed by experiments that try to break them. Each row says what",
    "was tried, how often, and in how many trials a promise did not hold. If none of N trials failed, the failure rate is",
    "below 3/N with 95 % confidence: this is the column *failure rate below*.",
    "",
    "[Guarantees](guarantees.md) lists all promises, and for each the experiment or the tests that try to break it.",
    "",
    "`npm run prove -- NAME` runs the experiment NAME of the last column, `npm run prove -- --quick` all of them at a small size. `npm run prove -- --card`",
    "runs all of them in full and writes this page.",
    "",
    `[report-card.json](report-card.json) has the figures of each, and the command that it was run by. Machine: ${machines.join("; ")}.`,
    "",
    "| what was tried | trials | failures | failure rate below | duration | date | experiment |",
    "| --- | --: | --: | --: | --: | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function percent(rate: number): string {
  return `${(rate * 100).toPrecision(2).replace(/\.0+$/, "")} %`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
