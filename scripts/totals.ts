import { type Count, countOf } from "../conformance/count.ts";
import { dialectIds } from "../conformance/requirement.ts";
import { abouts } from "../packages/runtime/src/dialect/abouts.ts";

const nameOf = (id: string): string => abouts[id]?.label ?? `all ${id}`;

/** The table of what is required and how it stands, as the README shows it; `conformance --json` has the same numbers. */
export function totals(): string {
  const counts = dialectIds().map((id) => [nameOf(id), countOf(id)] as const);
  const sum = (key: keyof Count): number => counts.reduce((all, [, count]) => all + count[key], 0);
  const row = (name: string, { total, met, deviating, open, cases }: Count): string =>
    `| ${name} | ${total} | ${met} | ${deviating} | ${open} | ${cases} |`;
  const all = {
    total: sum("total"),
    met: sum("met"),
    deviating: sum("deviating"),
    open: sum("open"),
    cases: sum("cases"),
  };
  return [
    "| hooks of | requirements | met | decided otherwise | open | cases as data |",
    "|---|---|---|---|---|---|",
    ...counts.map(([name, count]) => row(name, count)),
    row("**sum**", all),
    "",
  ].join("\n");
}
