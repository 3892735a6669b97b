import type { Diagnostic } from "@hookline/ground";

/** The state of one hook at the end of a dispatch. */
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
  /** Whether the hook was asked after the dispatch, with an answer that did not count. */
  readonly shadow?: true;
}

/** A change of a field, and its author. `hook` is the lane's name if in-place edits are attributed per lane. */
export interface Edit {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly pass: 1 | 2;
}

/** A line to show to the person. */
export interface Notice {
  readonly hook: string;
  readonly text: string;
}

/** The answer of one lane's hooks, in the host's own fields. */
export interface LaneAnswer {
  readonly lane: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** The author of an answer: the hook's lane, and the tier of its definition. */
export interface Author {
  readonly lane: string;
  readonly tier: string;
}

/** The result of a dispatch. */
export interface Outcome<Answer = Record<string, unknown>> {
  /** The folded answer; `{}` if no hook answered. */
  readonly answer: Answer;
  /** The answers that were folded, lane by lane, in order. */
  readonly said: readonly LaneAnswer[];
  readonly edits: readonly Edit[];
  readonly notices: readonly Notice[];
  readonly diagnostics: readonly Diagnostic[];
  /** The hooks that answered or failed; with a trace all of them, including those not reached. */
  readonly hooks: readonly HookRun[];
  readonly ms: number;
  /** The lane and tier of the hooks in `byHooks`, each pair once. */
  readonly by?: readonly Author[];
  /**
   * The ids of the hooks whose answer alone would give this outcome, such as `ask`; set if the row's `attribute` names
   * this outcome.
   */
  readonly byHooks?: readonly string[];
  /** The hash of a guarded call as it was last judged, see `callHash`; set with a trace. */
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

/** The property that `await` reads from a value to see whether it is a promise too. */
const ASKED = "then";

/**
 * The outcome of an event that no hook answers; shared and frozen, so it costs nothing. `await` looks for a `then` in
 * an object, and then in its prototype; an own `then` with the value `undefined` spares it the second search.
 */
export const NOBODY: Outcome<never> = Object.freeze(Object.defineProperty(nobody, ASKED, { value: undefined }));
