import type { Class, NotJudged } from "./compare.ts";
import type { Decision } from "./decision.ts";
import type { NotAsked, SourceKind } from "./moment.ts";

/** The side that the candidate is compared with. */
export type Baseline = "recorded" | "current" | "none";

/** A source, and what was read of it. */
export interface SourceResult {
  readonly id: string;
  readonly path: string;
  readonly kind: SourceKind;
  /** The machine of a fleet that it comes from. */
  readonly machine?: string;
  readonly baseline: Baseline;
  /** Epoch ms of the first and last moment; 0 where the source does not say. */
  readonly from: number;
  readonly to: number;
  /** By event. */
  readonly moments: Readonly<Record<string, number>>;
  /** How many of them have a payload: without one, hooks cannot be asked. */
  readonly payloads: number;
  /** Lines of which nothing was made, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Events that its hooks were told although the source has none. */
  readonly madeUp: readonly string[];
}

/** The result of one side at a moment. */
export interface SideResult {
  readonly decision: Decision;
  readonly reason?: string;
  /** The judged or handed-on value, if a side has changed it. */
  readonly args?: unknown;
  /** The person's answer, if one was asked. */
  readonly person?: string;
}

/** One moment at which the sides differ. */
export interface Example {
  readonly moment: string;
  readonly source: string;
  readonly line: number;
  readonly t: number;
  readonly before: SideResult;
  readonly after: SideResult;
}

/** Moments of one hook, class and shape. */
export interface Group {
  /** The hook's id; `-` where no single hook stands for it. */
  readonly hook: string;
  readonly class: Exclude<Class, "same">;
  readonly shape: string;
  readonly count: number;
  /** The first three. */
  readonly examples: readonly Example[];
}

/** The answers of one hook in shadow while the sources were recorded; they had no effect. */
export interface ShadowResult {
  readonly hook: string;
  readonly asked: number;
  readonly wouldDeny: number;
  readonly wouldAsk: number;
  readonly wouldEdit: number;
  readonly failed: number;
  /** The first three moments at which it would have done something. */
  readonly examples: readonly string[];
}

/** The result of a replay. `moments = asked + Σ notAsked`, `asked = same + each class + Σ notJudged`. */
export interface ReplayResult extends Readonly<Record<Class, number>> {
  readonly v: 1;
  /** It was broken off; everything in it is of the moments until then. */
  readonly partial: boolean;
  /** `mixed` where the sources have different ones. */
  readonly baseline: Baseline | "mixed";
  readonly sources: readonly SourceResult[];
  readonly moments: number;
  readonly asked: number;
  readonly notJudged: Readonly<Partial<Record<NotJudged, number>>>;
  readonly notAsked: Readonly<Partial<Record<NotAsked, number>>>;
  /** Effects that hooks wanted and that were not carried out, by kind. */
  readonly effects: Readonly<Record<string, number>>;
  /** The words of `--fail-on` that came true. */
  readonly failed: readonly string[];
  readonly groups: readonly Group[];
  /** The recorded answers of hooks in shadow. */
  readonly shadow: readonly ShadowResult[];
}

/** One judged moment in full, for a file of results or a look at one moment. */
export interface JudgedMoment extends Example {
  readonly event: string;
  readonly class: Class | "notJudged";
  readonly why?: NotJudged;
  readonly hook?: string;
}
