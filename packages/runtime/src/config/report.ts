import type { Candidate, CandidateState } from "../dialect/dialect.ts";
import type { Diagnostic } from "../error/diagnostic.ts";

/** One definition that was found, and what became of it. */
export interface ReportedSource {
  readonly dialect: string;
  readonly lane: string;
  readonly tier: string;
  readonly path: string;
  readonly line?: number;
  readonly api?: string;
  readonly state: CandidateState;
  readonly reason?: string;
  readonly events: readonly string[];
  /** Place in the order of loading, from 1; absent when it does not run. */
  readonly order?: number;
  readonly filter?: string;
  readonly timeoutMs?: number;
  readonly onFailure?: string;
  readonly hash?: string;
}

/** Everything that was looked for, found and left out. */
export interface LoadReport {
  readonly sources: readonly ReportedSource[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: { readonly found: number; readonly runs: number; readonly notRunning: number };
}

/** A candidate with what loading it came to. */
export interface Loaded {
  readonly candidate: Candidate;
  readonly state: CandidateState;
  readonly reason: string | undefined;
  readonly events: readonly string[];
}

/** Puts the report together; `order` counts those that run. */
export function loadReport(
  loaded: readonly Loaded[],
  searched: readonly string[],
  diagnostics: readonly Diagnostic[],
): LoadReport {
  let order = 0;
  const sources = loaded.map(({ candidate, state, reason, events }): ReportedSource => {
    const { source, lane, filter, timeoutMs, onFailure } = candidate;
    return {
      dialect: source.dialect ?? lane,
      lane,
      tier: source.tier,
      path: source.path,
      ...(source.line !== undefined && { line: source.line }),
      ...(source.api !== undefined && { api: source.api }),
      state,
      ...(reason !== undefined && { reason }),
      events,
      ...(state === "runs" && { order: ++order }),
      ...(filter !== undefined && { filter }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(onFailure !== undefined && { onFailure }),
    };
  });
  return {
    sources,
    searched,
    diagnostics,
    summary: { found: sources.length, runs: order, notRunning: sources.length - order },
  };
}
