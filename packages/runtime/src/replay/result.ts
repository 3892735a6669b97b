import type { Class, NotJudged } from "./compare.ts";
import type { Decision } from "./decision.ts";
import type { NotAsked, SourceKind } from "./moment.ts";

/** The origin of the answers to compare with: the recording, the current hooks, or none. */
export type Baseline = "recorded" | "current" | "none";

/** A source file, and what was read from it. */
export interface SourceResult {
  readonly id: string;
  readonly path: string;
  readonly kind: SourceKind;
  /** The machine that the session ran on; only for a recording that a fleet has collected. */
  readonly machine?: string;
  readonly baseline: Baseline;
  /** The earliest time of a moment in milliseconds since the epoch; 0 if no moment has a time. `to` is the latest. */
  readonly from: number;
  readonly to: number;
  /** The number of moments of each event. */
  readonly moments: Readonly<Record<string, number>>;
  /** The number of moments with a payload, without which hooks cannot be asked. */
  readonly payloads: number;
  /** The number of lines that were not understood, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Events that hooks were asked about although the source file does not contain them. */
  readonly madeUp: readonly string[];
}

/** The decision of the baseline's or the candidate's hooks at one moment, as results show it. */
export interface SideResult {
  readonly decision: Decision;
  readonly reason?: string;
  /** For a guarded event the judged value, such as a call's arguments; for others the changed fields, if any. */
  readonly args?: unknown;
  /** The person's answer, if a person was asked. */
  readonly person?: string;
}

/** One moment at which baseline (`before`) and candidate (`after`) differ. */
export interface Example {
  readonly moment: string;
  readonly source: string;
  readonly line: number;
  readonly t: number;
  readonly before: SideResult;
  readonly after: SideResult;
}

/**
 * Moments that differ in the same way: with the same hook as the cause, the same class, and calls of the same tool and
 * program or folder (`shape`).
 */
export interface Group {
  /** The hook's id; `-` if no single hook is the cause. */
  readonly hook: string;
  readonly class: Exclude<Class, "same">;
  readonly shape: string;
  readonly count: number;
  /** The first three moments of the group. */
  readonly examples: readonly Example[];
}

/** The answers of one hook in shadow while the source files were recorded; they had no effect. */
export interface ShadowResult {
  readonly hook: string;
  readonly asked: number;
  readonly wouldDeny: number;
  readonly wouldAsk: number;
  readonly wouldEdit: number;
  readonly failed: number;
  /** The first three moments at which the hook would have had an effect, such as `s1:12` for line 12 of source `s1`. */
  readonly examples: readonly string[];
}

/** The result of a replay. `moments = asked + Σ notAsked`, `asked = Σ classes (with same) + Σ notJudged`. */
export interface ReplayResult extends Readonly<Record<Class, number>> {
  readonly v: 1;
  /** Whether the replay was broken off; the result then covers the moments until that point. */
  readonly partial: boolean;
  /** The baseline; `mixed` if the source files have different ones. */
  readonly baseline: Baseline | "mixed";
  readonly sources: readonly SourceResult[];
  readonly moments: number;
  readonly asked: number;
  readonly notJudged: Readonly<Partial<Record<NotJudged, number>>>;
  readonly notAsked: Readonly<Partial<Record<NotAsked, number>>>;
  /** Effects that hooks attempted and that were not carried out, by kind. */
  readonly effects: Readonly<Record<string, number>>;
  /** The words of the flag `--fail-on` that made the replay fail, such as `newly-denied`. */
  readonly failed: readonly string[];
  readonly groups: readonly Group[];
  /** The recorded answers of hooks in shadow. */
  readonly shadow: readonly ShadowResult[];
}

/** One compared moment in full, for a file of results or a view of one moment. */
export interface JudgedMoment extends Example {
  readonly event: string;
  readonly class: Class | "notJudged";
  readonly why?: NotJudged;
  readonly hook?: string;
}
