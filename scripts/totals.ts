import { type Count, countOf } from "../conformance/count.ts";
import { dialectIds } from "../conformance/requirement.ts";
import { abouts } from "../packages/integrations/src/abouts.ts";

const nameOf = (id: string): string => abouts[id]?.label ?? `all ${id}`;

/** Counts the requirements by status, for each dialect and in total; `conformance --json` prints the same numbers. */
function counted(): { readonly counts: readonly (readonly [name: string, count: Count])[]; readonly all: Count } {
  const counts = dialectIds().map((id) => [nameOf(id), countOf(id)] as const);
  const sum = (key: keyof Count): number => counts.reduce((total, [, count]) => total + count[key], 0);
  const [total, met, deviating, open, cases] = [sum("total"), sum("met"), sum("deviating"), sum("open"), sum("cases")];
  return { counts, all: { total, met, deviating, open, cases } };
}

/** Returns the page with the table. */
export function totalsPage(): string {
  const { counts, all } = counted();
  const row = (name: string, { total, met, deviating, open, cases }: Count): string =>
    `| ${name} | ${total} | ${met} | ${deviating} | ${open} | ${cases} |`;
  return [
    "# Requirements and their status",
    "",
    "Each sentence, table row, field and sample of the documents that describe these hooks is a requirement, proved by a",
    "case or a test that cites it. Each dialect's page lists where hookline deviates, and why. The cases are",
    "data that [other runtimes can use](../../packages/conformance/README.md). `npm run conformance` checks that all of",
    "them agree.",
    "",
    "| hooks of | requirements | met | deviating | open | cases as data |",
    "|---|---|---|---|---|---|",
    ...counts.map(([name, count]) => row(name, count)),
    row("**total**", all),
    "",
  ].join("\n");
}
