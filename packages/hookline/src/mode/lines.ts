import type { Diagnostic, LoadReport } from "@hookline/runtime";
import { hookCounts, waitingItems } from "../item/summary.ts";

/** A diagnostic for a person: what happened, then what to do. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.severity}: ${diagnostic.message}. ${diagnostic.hint}`.replace(/\.\. /, ". ");
}

/** One line that sums up what was found and does not run; nothing when all runs. */
export function notRunning(report: LoadReport): string | undefined {
  const { found, runs } = hookCounts(report);
  const not = found - runs;
  const parts = [
    ...(not === 0 ? [] : [`${runs} of ${found} hooks run, ${not} ${not === 1 ? "does" : "do"} not`]),
    ...waitingItems(report),
  ];
  return parts.length === 0 ? undefined : `${parts.join("; ")}: \`hookline hooks\` says why.`;
}
