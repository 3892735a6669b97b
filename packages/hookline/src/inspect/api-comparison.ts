import type { EditMade, HookAsked } from "./api.ts";

/** The result of one side at a moment. */
export interface ComparedSide {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** Fields that are handed on, where hooks have set them. */
  readonly handed?: Readonly<Record<string, unknown>>;
  readonly hooks: readonly HookAsked[];
  readonly edits: readonly EditMade[];
  readonly ms: number;
  /** The person's answer, if one was asked. */
  readonly person?: string;
  /** Long values are cut to their beginning. */
  readonly cut?: true;
}

/** One moment at which the tried hooks came to something else. */
export interface Difference {
  readonly event: string;
  /** The call's action on one line, such as `rm -rf build`; empty without arguments. Foreign text. */
  readonly label: string;
  /** The moment's id, with its file and line. */
  readonly where: string;
  /** Its class, such as `newlyDenied`, and why. */
  readonly differs: readonly string[];
  readonly before?: ComparedSide;
  readonly after?: ComparedSide;
}

/** `replay`: only what differs, in order; what could not be judged comes last. */
export interface Comparison {
  readonly v: 1;
  readonly same: number;
  readonly total: number;
  readonly from: number;
  /** By kind of difference. */
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Difference[];
}
