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
    "A name alone: the dialect's hooks see everything in the host's event, and can set everything in its answer. (lossy): they do not, and [below](#what-is-lost) lists what is lost. absent: the dialect has no such event.",
    "",
    `| event | kind | ${lanes.map(({ lane }) => lane.id).join(" | ")} |`,
    `|---|---|${lanes.map(() => "---|").join("")}`,
    ...lines,
    "",
    `| | ${lanes.map(({ lane }) => lane.id).join(" | ")} |`,
    `|---|${lanes.map(() => "---|").join("")}`,
    ...(["mapped", "lossy", "absent"] as const).map(
      (kind) => `| ${kind} | ${lanes.map(({ lane }) => countOf(counts, lane, kind)).join(" | ")} |`,
    ),
    "",
    "## What is lost",
    "",
    "Found by experiment, with the events and answers of the conformance cases: a field is not shown if changing it never changes the dialect's event, and cannot be given if no answer passes it to the host. A hook that does not see a field does not remove it: whatever its dialect cannot express stays unchanged.",
    "",
    "| event | lane | its own name | loss |",
    "|---|---|---|---|",
    ...losses,
    "",
  ].join("\n");
}

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
