import type { LoadReport } from "@hookline/runtime";
import { place, type ReportedSource } from "@hookline/runtime/internal";
import { IN_SHADOW } from "../hook/in-shadow.ts";
import { type Standpoint, shortPaths } from "../io/short-path.ts";
import { plain } from "../io/table.ts";
import { diagnosticLine } from "./lines.ts";

/** The load report as text, with paths relative to the working folder, and more lines before the summary. */
export function reportText(report: LoadReport, { cwd, home }: Standpoint, more: readonly string[] = []): string {
  const known = new Set(report.sources.map((source) => source.reason));
  const told = new Set<string>();
  for (const diagnostic of report.diagnostics) {
    const at = diagnostic.source === undefined ? "" : place(diagnostic.source);
    // If this is the reason of a source, it is shown below that source, with the hint.
    if (!known.has(diagnostic.message) || at === "") told.add(plain(diagnosticLine(diagnostic)));
  }
  const { found, runs, notRunning } = report.summary;
  const notes = [...told, ...more.map(plain)];
  const sum = found === 0 ? "No hooks were found." : `${found} found, ${runs} run, ${notRunning} do not.`;
  const text = [
    ...report.sources.flatMap(sourceLines),
    ...(notes.length > 0 && report.sources.length > 0 ? [""] : []),
    ...notes,
    ...(found > 0 || notes.length > 0 ? [""] : []),
    `${sum}${found > 0 ? ` ${report.searched.length} places were searched; --json lists them.` : " Searched:"}`,
    ...(found > 0 ? [] : report.searched.map((path) => `  ${plain(path)}`)),
    "",
  ].join("\n");
  return shortPaths(text, { cwd, home });
}

function sourceLines(source: ReportedSource): string[] {
  const {
    state,
    lane,
    tier,
    path,
    line,
    order,
    events,
    filter,
    timeoutMs,
    onFailure,
    reason,
    remedy,
    hash,
    lacks = [],
    shadow,
    shadowHooks = [],
  } = source;
  const at = line === undefined ? path : `${path}:${line}`;
  const facts = [
    shadow ? IN_SHADOW : "",
    shadowHooks.length > 0 ? `in shadow: ${shadowHooks.join(", ")}` : "",
    events.length > 0 ? `${events.join(", ")}${filter === undefined ? "" : ` when ${filter}`}` : "",
    onFailure === undefined ? "" : `on failure: ${onFailure}`,
    reason === undefined ? "" : `${state === "runs" ? "" : "why: "}${reason}`,
    remedy ?? "",
    [
      order === undefined ? "" : `order ${order}`,
      timeoutMs === undefined ? "" : `limit ${timeoutMs} ms`,
      hash === undefined ? "" : `hash ${hash.slice(0, 12)}`,
    ]
      .filter((fact) => fact !== "")
      .join(", "),
  ];
  return [
    `${lacks.length === 0 ? state.padEnd(11) : `${state}, lacks: ${lacks.join(", ")}`}  ${lane.padEnd(9)} ${tier.padEnd(7)} ${plain(at)}`,
    ...facts.filter((fact) => fact !== "").map((fact) => `${" ".repeat(13)}${plain(fact)}`),
  ];
}
