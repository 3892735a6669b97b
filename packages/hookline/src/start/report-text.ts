import type { LoadReport } from "@hookline/runtime";
import { place, type ReportedSource } from "@hookline/runtime/internal";
import { plain } from "../io/table.ts";
import { diagnosticLine } from "./lines.ts";

/** The load report for a person. */
export function reportText(report: LoadReport): string {
  const known = new Set(report.sources.map((source) => source.reason));
  const told = new Set<string>();
  for (const diagnostic of report.diagnostics) {
    const at = diagnostic.source === undefined ? "" : place(diagnostic.source);
    // A source whose reason this is has it below its own line, with the hint.
    if (!known.has(diagnostic.message) || at === "") told.add(plain(diagnosticLine(diagnostic)));
  }
  const { found, runs, notRunning } = report.summary;
  return [
    ...report.sources.flatMap(sourceLines),
    ...(told.size > 0 && report.sources.length > 0 ? [""] : []),
    ...told,
    ...(found > 0 || told.size > 0 ? [""] : []),
    `${found} found, ${runs} run, ${notRunning} do not.${found > 0 ? ` ${report.searched.length} places were searched; --json lists them.` : " Searched:"}`,
    ...(found > 0 ? [] : report.searched.map((path) => `  ${plain(path)}`)),
    "",
  ].join("\n");
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
  } = source;
  const at = line === undefined ? path : `${path}:${line}`;
  const facts = [
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
