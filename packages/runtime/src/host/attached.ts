import type { LoadReport, ReportedSource } from "../config/report.ts";
import type { Instance } from "../hook/instance.ts";

/**
 * A load report that also lists the hooks that the host has attached since, one source per hook, after everything that
 * was found.
 */
export function attachedSources(report: LoadReport, attached: readonly Instance[]): LoadReport {
  if (attached.every(({ hooks }) => hooks.length === 0)) return report;
  const { found, runs, notRunning } = report.summary;
  const added = attached
    .flatMap(({ lane, hooks }) => hooks.map((hook) => ({ lane, hook })))
    .map(({ lane, hook }, at): ReportedSource => {
      const { source, event, filter, timeoutMs, onError } = hook;
      return {
        dialect: source.dialect ?? lane,
        lane,
        tier: source.tier,
        path: source.path,
        state: "runs",
        events: [event],
        order: runs + at + 1,
        ...(filter !== undefined && { filter }),
        ...(timeoutMs !== undefined && Number.isFinite(timeoutMs) && { timeoutMs }),
        ...(onError !== undefined && { onFailure: onError }),
      };
    });
  const summary = { found: found + added.length, runs: runs + added.length, notRunning };
  return { ...report, sources: [...report.sources, ...added], summary };
}
