import type { Diagnostic, LoadReport } from "@hookline/runtime";

/** A diagnostic for a person: what happened, then what to do. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.severity}: ${diagnostic.message}. ${diagnostic.hint}`.replace(/\.\. /, ". ");
}

/** One line that sums up what was found and does not run; nothing when all runs. */
export function notRunning(report: LoadReport): string | undefined {
  const { found, runs, notRunning: not } = report.summary;
  return not === 0
    ? undefined
    : `${runs} of ${found} hooks run, ${not} ${not === 1 ? "does" : "do"} not: \`hookline hooks\` says why.`;
}
