import { type Diagnostic, isSamePlace } from "@hookline/ground";
import type { OpenPiece } from "../consent/answers.ts";
import { dataLine, type Judgement, openLine } from "../consent/consent.ts";
import type { Candidate, CandidateState, ItemKind } from "../dialect/dialect.ts";
import type { Hook } from "../hook/hook.ts";
import type { Finding, Offer, Reach } from "../hook/offer.ts";

/** One definition that was found, and its state. */
export interface ReportedSource {
  /** The kind of item, such as `skill` or `mcp`; absent for a hook. */
  readonly kind?: ItemKind;
  readonly dialect: string;
  readonly lane: string;
  readonly tier: string;
  readonly path: string;
  readonly line?: number;
  /** The definition's JSON pointer, if other definitions begin on the same line of the file. */
  readonly pointer?: string;
  readonly api?: string;
  readonly state: CandidateState;
  /** Why the definition does not run; if it runs, why its dialect was chosen. */
  readonly reason?: string;
  /** The remedy for the state, for a person; absent if the definition runs. */
  readonly remedy?: string;
  readonly events: readonly string[];
  /**
   * Whether any call can reach the hook: `none` if none can, `unknown` if only a call of a tool that is not listed yet
   * could, absent if some call surely can. A hook with `none` is loaded but not listed as one that runs.
   */
  readonly reach?: "none" | "unknown";
  /**
   * The problem with a program or file that the hook starts and that does not exist. The hook is loaded all the same,
   * and fails when it is asked.
   */
  readonly absent?: string;
  /** Alternatives of the hook's matcher that match no possible call, and what to do about each. */
  readonly notes?: readonly string[];
  /** Names that the module imports but hookline does not provide; code that uses one fails. */
  readonly lacks?: readonly string[];
  /** Whether the definition may run, because it needs no approval or has one. Absent if it is not loaded at all. */
  readonly isApproved?: boolean;
  /** The parts of the hook that its approval does not cover, a line for each. */
  readonly uncovered?: readonly string[];
  /** Files that the hook only reads, a line for each. Changing them needs no new approval. */
  readonly reads?: readonly string[];
  /** Whether the hook is in shadow: it is asked after each decision and decides nothing. */
  readonly shadow?: true;
  /** The ids of the hooks in shadow, if only some of the definition's hooks are. */
  readonly shadowHooks?: readonly string[];
  /** Whether only hookline runs the hook, because the dialect's own program does not look where the hook is. */
  readonly onlyHere?: true;
  /** The position in the order of loading, from 1; absent if the definition does not run. */
  readonly order?: number;
  readonly filter?: string;
  /** The shell commands that the hook runs. */
  readonly commands?: readonly string[];
  readonly timeoutMs?: number;
  readonly onFailure?: string;
  /** The SHA-256 in hex over the definition and its files, as approvals use it. Computed on demand. */
  readonly hash?: string;
}

/** Returns whether a definition is loaded, even if no call can reach it or its program is missing. */
export function isLoaded({ state, reach, absent }: Pick<ReportedSource, "state" | "reach" | "absent">): boolean {
  return (
    state === "runs" || (state === "unreachable" && reach === "none") || (state === "broken" && absent !== undefined)
  );
}

/** Everything that was searched, found and skipped. */
export interface LoadReport {
  readonly sources: readonly ReportedSource[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: { readonly found: number; readonly runs: number; readonly notRunning: number };
}

/** A candidate with the current result of loading it, which changes when a module registers handlers later. */
export interface Loaded {
  readonly candidate: Candidate;
  readonly state: CandidateState;
  readonly reason: string | undefined;
  readonly events: readonly string[];
  readonly isApproved?: boolean;
  /** Returns the hooks that the definition has registered. */
  hooks?(): readonly Hook[];
  /** Returns which of the definition's hooks are in shadow. */
  shadow?(): "all" | readonly Hook[];
  /** The approval, if the definition needs one. */
  readonly agreed?: Judgement;
  /** Returns the first piece of code that the approval does not cover; computed only when it matters. */
  open?(): OpenPiece | undefined;
  hash(): string | undefined;
  /** The definition as canonical JSON, as a lock keeps it. */
  definition(): string;
}

/**
 * Builds the report. `order` counts the definitions that run. `offer` lists the tools that calls can name; without it,
 * each hook is checked against the usual tools of the agent that it was written for.
 */
export function loadReport(
  loaded: readonly Loaded[],
  searched: readonly string[],
  diagnostics: readonly Diagnostic[],
  offer?: Offer,
): LoadReport {
  let order = 0;
  const sources = loaded.map((given): ReportedSource => {
    const hooks = given.state === "runs" || given.state === "unreachable" ? (given.hooks?.() ?? []) : [];
    const reached = reachedBy(given, hooks, { offer, diagnostics });
    const { absent } = given.candidate;
    const one = { ...given, ...standing(given, reached) };
    const { candidate, state, reason, events } = one;
    const { kind, source, lane, filter, commands, timeoutMs, onFailure, onlyHere } = candidate;
    const lacks = state === "runs" ? lackedBy(source.path, diagnostics) : [];
    const remedy = state === "runs" ? undefined : (one.remedy ?? remedyOf(one, diagnostics));
    const notes = [...reached.notes, ...(absent === undefined || reason === absent.problem ? [] : [inWords(absent)])];
    let hash: string | undefined;
    return {
      ...(kind !== undefined && { kind }),
      dialect: source.dialect ?? lane,
      lane,
      tier: source.tier,
      path: source.path,
      ...(source.line !== undefined && { line: source.line }),
      ...(source.pointer !== undefined && { pointer: source.pointer }),
      ...(source.api !== undefined && { api: source.api }),
      state,
      ...(reason !== undefined && { reason }),
      ...(remedy !== undefined && { remedy }),
      events,
      ...(reached.state !== "some" && { reach: reached.state }),
      ...(absent !== undefined && { absent: absent.problem }),
      ...(notes.length > 0 && { notes }),
      ...(lacks.length > 0 && { lacks }),
      ...(one.isApproved !== undefined && { isApproved: one.isApproved }),
      ...uncoveredBy(one.agreed),
      ...shadowFields(one.shadow?.()),
      ...(onlyHere && { onlyHere }),
      ...(state === "runs" && { order: ++order }),
      ...(filter !== undefined && { filter }),
      ...(commands !== undefined && { commands }),
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

/** Whether tool calls reach the hooks of a definition, and problems with single alternatives of their matchers. */
interface Reached extends Pick<Reach, "state"> {
  readonly first?: Finding | undefined;
  readonly notes: readonly string[];
}

const NOTHING: Reached = { state: "some", notes: [] };

interface ReachFacts {
  readonly offer: Offer | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

function reachedBy({ candidate }: Loaded, hooks: readonly Hook[], { offer, diagnostics }: ReachFacts): Reached {
  const all = hooks.map(({ reach }) => reach?.(offer) ?? { state: "some" as const, findings: [] });
  if (all.length === 0) return NOTHING;
  const state = (["some", "unknown"] as const).find((one) => all.some((reach) => reach.state === one)) ?? "none";
  const findings = all.flatMap((reach) => reach.findings);
  const isTold = ({ about }: Finding): boolean =>
    diagnostics.some(
      ({ source, message }) =>
        source !== undefined && isSamePlace(source, candidate.source) && message.includes(`"${about}"`),
    );
  const [first] = findings;
  const others = state === "none" ? findings.slice(1) : findings;
  return { state, first, notes: [...new Set(others.filter((one) => !isTold(one)).map(inWords))] };
}

function inWords({ problem, remedy }: Omit<Finding, "about">): string {
  return `${problem}. ${remedy}`;
}

/**
 * Returns the corrected state of a loaded definition that has no effect: no call reaches it, or the program that it
 * starts does not exist.
 */
function standing(
  { state, candidate }: Loaded,
  { state: reach, first }: Reached,
): { readonly state?: CandidateState; readonly reason?: string; readonly remedy?: string } {
  if (reach === "none") return { state: "unreachable", ...(first && { reason: first.problem, remedy: first.remedy }) };
  const { absent } = candidate;
  if (absent !== undefined && state === "runs")
    return { state: "broken", reason: absent.problem, remedy: absent.remedy };
  return {};
}

function uncoveredBy({ open = [], data = [] }: Partial<Judgement> = {}): Pick<ReportedSource, "uncovered" | "reads"> {
  return {
    ...(open.length > 0 && { uncovered: open.map((piece) => `not covered: ${openLine(piece)}`) }),
    ...(data.length > 0 && { reads: data.map((one) => dataLine(one)) }),
  };
}

function shadowFields(shadow: "all" | readonly Hook[] = []): Pick<ReportedSource, "shadow" | "shadowHooks"> {
  if (shadow === "all") return { shadow: true };
  return shadow.length === 0 ? {} : { shadowHooks: shadow.map(({ id }) => id) };
}

function lackedBy(path: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  return [...new Set(diagnostics.flatMap(({ source, names = [] }) => (source?.path === path ? names : [])))];
}

/** Matches a reason that ends with its remedy as a sentence of its own. */
const WITH_REMEDY = /^.+?\. ([A-Z][\s\S]*\.)$/;

/** Returns the hint of a diagnostic about the definition, else the reason's own remedy, else the state's usual one. */
function remedyOf({ candidate, state, reason }: Loaded, diagnostics: readonly Diagnostic[]): string {
  const { path, line } = candidate.source;
  const about = diagnostics.filter(
    ({ source }) => source?.path === path && (line === undefined || isSamePlace(source, candidate.source)),
  );
  // Prefers the diagnostic that gave the reason its text, then an error, then a warning; `info` explains no failure.
  const cause =
    about.find(({ message }) => message === reason) ??
    about.find(({ severity }) => severity === "error") ??
    about.find(({ severity }) => severity !== "info");
  return cause?.hint ?? WITH_REMEDY.exec(reason ?? "")?.[1] ?? REMEDIES[state];
}

const REMEDIES: Readonly<Record<CandidateState, string>> = {
  runs: "",
  disabled: "Remove what switches it off, or leave it as it is.",
  untrusted: "Review it, then run `hookline trust approve`.",
  shadowed: "Remove one of the two; rename it if both should run.",
  unreachable:
    "Correct its event or filter; a module must register something by the end of the session's start. `hookline schema` lists the events.",
  unsupported: "See the dialect's README for what is read from this place.",
  broken: "Correct the file; other hooks are not affected.",
};
