import {
  type Diagnostic,
  diagnose,
  type LoadReport,
  type Missing,
  place,
  type ReportedSource,
} from "@hookline/runtime";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { plain } from "../io/table.ts";
import type { Arguments } from "../start/args.ts";
import { diagnosticLine } from "../start/lines.ts";
import { redacted } from "../start/redacted.ts";
import { openHooks } from "./open-hooks.ts";

/** `hookline hooks [list]`: what was looked for, found, loaded and left out. Needs no model. */
export async function listHooks(args: Arguments, io: Io): Promise<number> {
  const { session, place: here, close } = await openHooks(args, io);
  const { sources, searched, summary, diagnostics: found } = session.report;
  const diagnostics = [...here.settings.diagnostics, ...found, ...session.missing().map(missingHook)];
  const report = redacted({ sources, searched, summary, diagnostics }, io.env);
  io.out(args.flags["json"] === true ? jsonText(report) : reportText(report));
  await close();
  // A module of which one event is misspelt runs, and is not whole.
  const isWhole = summary.notRunning === 0 && !diagnostics.some(({ severity }) => severity === "error");
  return args.flags["strict"] === true && !isWhole ? EXIT.failed : EXIT.fine;
}

/** What must run and does not, as a problem of the load report. */
export function missingHook({ expected, cause }: Missing): Diagnostic {
  return diagnose("REQUIRED_MISSING", { name: expected.name, problem: cause });
}

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
