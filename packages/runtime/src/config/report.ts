import type { Candidate, CandidateState, ItemKind } from "../dialect/dialect.ts";
import type { Diagnostic } from "../error/diagnostic.ts";
import type { Hook } from "../hook/hook.ts";
import type { OpenPiece } from "./consent.ts";

/** One definition that was found, and its state. */
export interface ReportedSource {
  /** Absent: a hook. */
  readonly kind?: ItemKind;
  readonly dialect: string;
  readonly lane: string;
  readonly tier: string;
  readonly path: string;
  readonly line?: number;
  readonly api?: string;
  readonly state: CandidateState;
  /** Why it does not run; if it runs, why its dialect was chosen. */
  readonly reason?: string;
  /** What to do about it; absent if it runs. */
  readonly remedy?: string;
  readonly events: readonly string[];
  /** Names that it imports but that do not exist here; code that uses one fails. */
  readonly lacks?: readonly string[];
  /** Whether it may run: it needs no approval, or has one. Absent if it is not loaded at all. */
  readonly isApproved?: boolean;
  /** It is asked after each decision, and decides nothing. */
  readonly shadow?: true;
  /** If only some of its hooks are in shadow: their ids. */
  readonly shadowHooks?: readonly string[];
  /** The dialect's own program does not look where it was found. */
  readonly onlyHere?: true;
  /** Place in the order of loading, from 1; absent when it does not run. */
  readonly order?: number;
  readonly filter?: string;
  readonly timeoutMs?: number;
  readonly onFailure?: string;
  /** Hex SHA-256 over the definition and its files, as consent sees them. Computed on demand. */
  readonly hash?: string;
}

/** Everything that was searched, found and skipped. */
export interface LoadReport {
  readonly sources: readonly ReportedSource[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: { readonly found: number; readonly runs: number; readonly notRunning: number };
}

/** A candidate with the current result of loading it: a module may register handlers later. */
export interface Loaded {
  readonly candidate: Candidate;
  readonly state: CandidateState;
  readonly reason: string | undefined;
  readonly events: readonly string[];
  readonly isApproved?: boolean;
  /** Which of its hooks are in shadow. */
  shadow?(): "all" | readonly Hook[];
  /** What its approval leaves open; searched for only if it matters. */
  open?(): OpenPiece | undefined;
  hash(): string | undefined;
  /** The definition as canonical JSON, as a lock keeps it. */
  definition(): string;
}

/** Builds the report; `order` counts the definitions that run. */
export function loadReport(
  loaded: readonly Loaded[],
  searched: readonly string[],
  diagnostics: readonly Diagnostic[],
): LoadReport {
  let order = 0;
  const sources = loaded.map((one): ReportedSource => {
    const { candidate, state, reason, events } = one;
    const { kind, source, lane, filter, timeoutMs, onFailure, onlyHere } = candidate;
    const lacks = state === "runs" ? lackedBy(source.path, diagnostics) : [];
    const remedy = state !== "runs" ? remedyOf(one, diagnostics) : undefined;
    let hash: string | undefined;
    return {
      ...(kind !== undefined && { kind }),
      dialect: source.dialect ?? lane,
      lane,
      tier: source.tier,
      path: source.path,
      ...(source.line !== undefined && { line: source.line }),
      ...(source.api !== undefined && { api: source.api }),
      state,
      ...(reason !== undefined && { reason }),
      ...(remedy !== undefined && { remedy }),
      events,
      ...(lacks.length > 0 && { lacks }),
      ...(one.isApproved !== undefined && { isApproved: one.isApproved }),
      ...shadowFields(one.shadow?.()),
      ...(onlyHere && { onlyHere }),
      ...(state === "runs" && { order: ++order }),
      ...(filter !== undefined && { filter }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(onFailure !== undefined && { onFailure }),
      // Computed lazily, because most reports are never read.
      get hash() {
        return (hash ??= one.hash()) as string;
      },
    };
  });
  return {
    sources,
    searched,
    diagnostics,
    summary: { found: sources.length, runs: order, notRunning: sources.length - order },
  };
}

function shadowFields(shadow: "all" | readonly Hook[] = []): Pick<ReportedSource, "shadow" | "shadowHooks"> {
  if (shadow === "all") return { shadow: true };
  return shadow.length === 0 ? {} : { shadowHooks: shadow.map(({ id }) => id) };
}

function lackedBy(path: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  return [...new Set(diagnostics.flatMap(({ source, names = [] }) => (source?.path === path ? names : [])))];
}

/** The hint of a diagnostic about the same place, else a hint for this state. */
function remedyOf({ candidate, state }: Loaded, diagnostics: readonly Diagnostic[]): string {
  const { path, line } = candidate.source;
  const about = diagnostics.filter(
    ({ source }) => source?.path === path && (line === undefined || source.line === line),
  );
  // A notice accompanies the cause, but is not the cause.
  const cause = about.find(({ severity }) => severity === "error") ?? about.find(({ severity }) => severity !== "info");
  return cause?.hint ?? REMEDIES[state];
}

const REMEDIES: Readonly<Record<CandidateState, string>> = {
  runs: "",
  disabled: "Remove what switches it off, or leave it as it is.",
  untrusted: "Review it, then run `hookline trust approve`.",
  shadowed: "Rename one of the two.",
  unreachable:
    "Correct its event or filter; a module must register something by the end of the session's start. `hookline schema` lists the events.",
  unsupported: "See the dialect's README for what is read from this place.",
  broken: "Correct the file; the other hooks still work.",
};
