import type { LoadReport, ReportedSource } from "@hookline/runtime";
import { diagnosticLine } from "../mode/print.ts";
import type { Arguments } from "./args.ts";
import { EXIT, type Io } from "./io.ts";
import { placeOf, runtimeOf } from "./place.ts";
import { dialectSettings } from "./settings.ts";

/** `hookline hooks [list]`: what was looked for, found, loaded and left out. Needs no model. */
export async function hooksCommand(args: Arguments, io: Io): Promise<number> {
  const [what = "list"] = args.words;
  if (what !== "list") {
    io.err(`There is no \`hookline hooks ${what}\`; use \`hookline hooks list\`.\n`);
    return EXIT.usage;
  }
  const place = await placeOf(args, io);
  const runtime = runtimeOf(place, io);
  const session = await runtime.open({
    scene: { sessionId: "hooks-list", cwd: place.cwd },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
  });
  const { report } = session;
  await runtime.close();
  if (args.flags["json"] === true) {
    const { sources, searched, summary, diagnostics } = report;
    io.out(`${JSON.stringify({ sources, searched, summary, diagnostics }, null, 2)}\n`);
  } else io.out(reportText(report));
  return args.flags["strict"] === true && report.summary.notRunning > 0 ? EXIT.failed : EXIT.fine;
}

/** The load report for a person. */
export function reportText(report: LoadReport): string {
  const lines: string[] = [];
  for (const source of report.sources) {
    const at = source.line === undefined ? source.path : `${source.path}:${source.line}`;
    lines.push(`${state(source)}  ${source.lane.padEnd(9)} ${source.tier.padEnd(7)} ${at}`);
    if (source.events.length > 0)
      lines.push(
        `${" ".repeat(12)}${source.events.join(", ")}${source.filter === undefined ? "" : ` when ${source.filter}`}`,
      );
    if (source.onFailure !== undefined) lines.push(`${" ".repeat(12)}on failure: ${source.onFailure}`);
    if (source.reason !== undefined) lines.push(`${" ".repeat(12)}${source.reason}`);
  }
  const known = new Set(report.sources.map((source) => source.reason));
  for (const diagnostic of report.diagnostics)
    if (!known.has(diagnostic.message)) lines.push(diagnosticLine(diagnostic));
  const { found, runs, notRunning } = report.summary;
  lines.push(
    "",
    `${found} found, ${runs} run, ${notRunning} do not. Searched:`,
    ...report.searched.map((path) => `  ${path}`),
    "",
  );
  return lines.join("\n");
}

function state(source: ReportedSource): string {
  return source.state.padEnd(11);
}
