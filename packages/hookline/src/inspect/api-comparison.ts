import type { EditMade, HookAsked } from "./api.ts";

/** The result of a moment with one of the two sets of hooks that a replay compares. */
export interface ComparedSide {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** The payload fields that hooks have changed, with their new values; absent if there are none. */
  readonly handed?: Readonly<Record<string, unknown>>;
  readonly hooks: readonly HookAsked[];
  readonly edits: readonly EditMade[];
  readonly ms: number;
  /** The person's answer, if a person was asked. */
  readonly person?: string;
  /** Present if long values were cut to their beginnings. */
  readonly cut?: true;
}

/** A moment that has another result in a replay than before, or that the replay could not judge. */
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

/** The answer to `replay`. Lists moments whose result changed, in order, then those that could not be judged. */
export interface Comparison {
  readonly v: 1;
  readonly same: number;
  readonly total: number;
  readonly from: number;
  /** The number of differences by class. */
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Difference[];
}
