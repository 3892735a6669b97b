import type { EditMade, HookAsked } from "./api.ts";

/** The result of one side of a replay at a moment. */
export interface ComparedSide {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** The fields that are passed on instead of the host's, if hooks have set any. */
  readonly handed?: Readonly<Record<string, unknown>>;
  readonly hooks: readonly HookAsked[];
  readonly edits: readonly EditMade[];
  readonly ms: number;
  /** The person's answer, if a person was asked. */
  readonly person?: string;
  /** Long values are cut; only their beginning is here. */
  readonly cut?: true;
}

/** A moment at which the tried hooks had another result. */
export interface Difference {
  readonly event: string;
  /** The call's action on one line, such as `rm -rf build`; empty without arguments. Foreign text. */
  readonly label: string;
  /** The moment's id, with its file and line. */
  readonly where: string;
  /** The class of the difference, such as `newlyDenied`, and why. */
  readonly differs: readonly string[];
  readonly before?: ComparedSide;
  readonly after?: ComparedSide;
}

/** `replay`: the moments with different results, in order; those that could not be judged come last. */
export interface Comparison {
  readonly v: 1;
  readonly same: number;
  readonly total: number;
  readonly from: number;
  /** The number of differences by class. */
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Difference[];
}
