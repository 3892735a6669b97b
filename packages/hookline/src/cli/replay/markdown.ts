import { cleanText } from "@hookline/runtime/internal";
import type { ReplayResult } from "@hookline/runtime/replay";
import { baselineText, classCounts, failedText, sideText } from "./text.ts";

/** The maximum number of rows in a summary; CI pages cut off longer ones. */
const ROWS = 50;

/** The result as a summary for a CI page. */
export function resultMarkdown(result: ReplayResult): string {
  const { moments, sources, asked, same, groups, failed } = result;
  const counts = classCounts(result).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `### Replay of hooks: ${failed.length > 0 ? "failed" : "passed"}`,
    "",
    `${moments} moments of ${sources.length} sources, compared with ${baselineText(result)}: ${[`${asked} asked`, `${same} the same`, ...counts].join(", ")}.`,
    ...(result.partial ? ["", "Interrupted: this is the result so far."] : []),
    ...(failed.length > 0 ? ["", failedText(result)] : []),
  ];
  if (groups.length > 0)
    lines.push("", "| count | class | shape | hook | example | before | after |", "|---:|---|---|---|---|---|---|");
  for (const { count, class: name, shape, hook, examples } of groups.slice(0, ROWS)) {
    const [first] = examples;
    const cells = [`${count}`, name, shape, hook];
    const shown = first === undefined ? ["", "", ""] : [first.moment, sideText(first.before), sideText(first.after)];
    lines.push(`| ${[...cells, ...shown].map(cell).join(" | ")} |`);
  }
  return `${lines.join("\n")}\n`;
}

/** Foreign text in a table cell: it must neither end the cell nor be read as HTML or Markdown. */
function cell(text: string): string {
  const clean = cleanText(text, { controls: "show", lines: "fold" });
  return clean === "" ? "" : `<code>${clean.replace(/[&<>|`*_[\]\\@]/g, (c) => `&#${c.charCodeAt(0)};`)}</code>`;
}
