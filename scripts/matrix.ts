import type { CatalogRow, Dialect, Lane } from "@hookline/runtime/engine";
import { readCases } from "../conformance/requirement.ts";
import { type Loss, lossOf } from "./loss.ts";

/** Returns the page that lists each dialect's name for every event, and what is lost in translation. */
export function matrix(rows: ReadonlyMap<string, CatalogRow>, tables: readonly Dialect[]): string {
  const lanes = tables.flatMap((dialect) => dialect.lanes.map((lane) => ({ lane, cases: readCases(dialect.id) })));
  const counts = new Map(lanes.map(({ lane }) => [lane.id, { mapped: 0, lossy: 0, absent: 0 }]));
  const losses: string[] = [];
  const cell = (row: CatalogRow, { lane, cases }: (typeof lanes)[number]): string => {
    const own = lane.rows.filter(({ of }) => of === row.name);
    const count = counts.get(lane.id) as { mapped: number; lossy: number; absent: number };
    const names = own.map(({ name }) => `\`${name}\``);
    if (own.length === 0) {
      count.absent += 1;
      return "absent";
    }
    const loss = lossOf(row, lane, own, cases);
    if (loss.unseen.length + loss.ungiven.length === 0) {
      count.mapped += 1;
      return names.join("<br>");
    }
    count.lossy += 1;
    losses.push(`| [${row.name}](events/${row.name}.md) | ${lane.id} | ${names.join("<br>")} | ${inWords(loss)} |`);
    return `${names.join("<br>")}<br>(lossy)`;
  };
  const lines = [...rows.values()].map(
    (row) =>
      `| [${row.name}](events/${row.name}.md) | ${row.kind} | ${lanes.map((lane) => cell(row, lane)).join(" | ")} |`,
  );
  return [
    "# What each dialect calls an event",
    "",
    "hookline runs hooks that were written for other agents, each in that agent's own format, its *dialect*. This table has each of hookline's [events](events/README.md) and its name in each dialect, for those who look for the event of their hook, or move a hook from one agent to another. `jcli` is j-cli, `claude` is Claude Code; oh-my-pi has two formats, `omp-hooks` for its hooks and `omp` for its extensions.",
    "",
    "The kind says [what hooks may do](events/README.md#kinds) at the event. In the cells of the dialects:",
    "",
    "- A name alone: hooks under this name see all fields of hookline's event, and can set all fields of its answer.",
    "- A name with *(lossy)*: they miss some fields, which are listed [below](#what-is-lost).",
    "- *absent*: the dialect has no such event.",
    "",
    `| event | kind | ${lanes.map(({ lane }) => lane.id).join(" | ")} |`,
    `|---|---|${lanes.map(() => "---|").join("")}`,
    ...lines,
    "",
    `| number of events | ${lanes.map(({ lane }) => lane.id).join(" | ")} |`,
    `|---|${lanes.map(() => "---|").join("")}`,
    ...(["mapped", "lossy", "absent"] as const).map(
      (kind) => `| ${COUNTED[kind]} | ${lanes.map(({ lane }) => countOf(counts, lane, kind)).join(" | ")} |`,
    ),
    "",
    "## What is lost",
    "",
    "A field that a dialect *does not show* is not in the dialect's form of the event. A field that it *cannot give* is one that no answer of its hooks can set. A hook does not remove what it does not see: a field that its dialect cannot express stays unchanged.",
    "",
    "The losses were found by experiment, with the events and answers of the [test cases](requirements.md) of each dialect: a field counts as not shown if changing it never changes the dialect's event, and as one that cannot be given if no answer in the cases sets it.",
    "",
    "| event | dialect | its name there | loss |",
    "|---|---|---|---|",
    ...losses,
    "",
  ].join("\n");
}

const COUNTED = { mapped: "without loss", lossy: "lossy", absent: "absent" } as const;

function countOf(
  counts: ReadonlyMap<string, { readonly mapped: number; readonly lossy: number; readonly absent: number }>,
  lane: Lane,
  kind: "mapped" | "lossy" | "absent",
): number {
  return counts.get(lane.id)?.[kind] ?? 0;
}

function inWords({ unseen, ungiven }: Loss): string {
  const parts: string[] = [];
  if (unseen.length > 0) parts.push(`does not show ${unseen.join(", ")}`);
  if (ungiven.length > 0) parts.push(`cannot give ${ungiven.join(", ")}`);
  return parts.join("; ");
}
