import type { Diagnostic } from "../error/diagnostic.ts";

/** What became of one hook in one dispatch. */
export type Status = "answered" | "no-answer" | "failed" | "timed-out" | "skipped" | "not-reached";

/** One hook's part in a dispatch. */
export interface HookRun {
  readonly hook: string;
  readonly lane: string;
  readonly place: string;
  readonly pass: 1 | 2;
  readonly status: Status;
  readonly answer?: unknown;
  readonly ms: number;
  readonly stderr?: string;
  readonly problem?: string;
}

/** Who changed which field from what to what. `hook` is the lane's name for in-place edits that are attributed per lane. */
export interface Edit {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly pass: 1 | 2;
}

/** A line for the person. */
export interface Notice {
  readonly hook: string;
  readonly text: string;
}

/** What the hooks of one lane came to, in the host's own fields. */
export interface LaneAnswer {
  readonly lane: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Whose hook has said something: its lane, and the tier of its definition. */
export interface Author {
  readonly lane: string;
  readonly tier: string;
}

/** What a dispatch gives the host. */
export interface Outcome<Answer = Record<string, unknown>> {
  /** The folded answer; `{}` when nobody answered. */
  readonly answer: Answer;
  /** What was folded, lane by lane, in order. */
  readonly said: readonly LaneAnswer[];
  readonly edits: readonly Edit[];
  readonly notices: readonly Notice[];
  readonly diagnostics: readonly Diagnostic[];
  /** Who answered or failed; under trace everybody, those not reached included. */
  readonly hooks: readonly HookRun[];
  readonly ms: number;
  /** Where the row attributes its outcome: whose answers said the same, each lane and tier once. */
  readonly by?: readonly Author[];
  /** Under trace, of a guarded tool call: the hash of the call as it was judged last, see `callHash`. */
  readonly call?: string;
}

const nobody: Outcome<never> = {
  answer: Object.freeze({}) as never,
  said: Object.freeze([]) as readonly never[],
  edits: Object.freeze([]) as readonly never[],
  notices: Object.freeze([]) as readonly never[],
  diagnostics: Object.freeze([]) as readonly never[],
  hooks: Object.freeze([]) as readonly never[],
  ms: 0,
};

/** What a promise asks of a value, to see whether that is one too. */
const ASKED = "then";

/**
 * The outcome of an event that nobody answers; shared and frozen, so it costs nothing. That it is no promise it says
 * itself: else each promise that is given it would search its prototype for the answer.
 */
export const NOBODY: Outcome<never> = Object.freeze(Object.defineProperty(nobody, ASKED, { value: undefined }));
