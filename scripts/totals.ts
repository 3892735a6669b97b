import { type Count, countOf } from "../conformance/count.ts";
import { dialectIds } from "../conformance/requirement.ts";
import { abouts } from "../packages/integrations/src/abouts.ts";

const nameOf = (id: string): string => abouts[id]?.label ?? "several agents, on one event";

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
    "How completely hookline runs the hooks of other agents. Each sentence, table row, field and sample of the documents",
    "that describe these hooks is a *requirement*, and a test or a *case* that cites it proves it: a case is data that",
    "[other runtimes can use](../../packages/conformance/README.md) too. *Met* means as the document says. *Deviating* means",
    "otherwise on purpose: the pages of [chibi](../../packages/integrations/src/chibi/README.md),",
    "[Claude Code](../../packages/integrations/src/claude/README.md), [j-cli](../../packages/integrations/src/jcli/README.md),",
    "[oh-my-pi](../../packages/integrations/src/omp/README.md) and [pi](../../packages/integrations/src/pi/README.md) list where",
    "and why. *Open* means not yet. `npm run conformance` checks all of it.",
    "",
    "| hooks of | requirements | met | deviating | open | cases as data |",
    "|---|---|---|---|---|---|",
    ...counts.map(([name, count]) => row(name, count)),
    row("**total**", all),
    "",
  ].join("\n");
}
