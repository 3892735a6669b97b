import type { Fold } from "../fold/fold.ts";

/** A schema of valibot, whose own types are many: who embeds the library does not have to load them. */
export interface Schema {
  readonly kind: "schema";
  readonly type: string;
}

/** What an event is for; with the cause it decides what a failure means (guarantees 2.0). */
export type Kind = "guard" | "gate" | "transform" | "redactor" | "control" | "observe" | "shutdown";

/**
 * Whether later handlers see earlier answers. `original`: nobody does. `chain`: they do. `agreed`: nobody does at first;
 * where several have changed the field, each in another way, they are asked once more one after the other, and each
 * sees what those before it made of it, so that no edit is lost.
 * `draft`: chain, and in-place edits of the lane's private copy are answers too. `shared`: the in-place edits alone are
 * seen by later handlers; they count beneath what the answers come to, field by field.
 */
export type Feed = "original" | "chain" | "agreed" | "draft" | "shared";

/**
 * `series`: one after the other, ending when the fold is settled. `all`: in order, never ending early.
 * `parallel`: started together, folded in order.
 */
export type Schedule = "series" | "all" | "parallel";

/**
 * Why a handler has no answer. `engine` marks what the hook could not help (too large, no descriptors, file gone);
 * `chain` that its lane's budget was spent before it could start.
 */
export type Cause = "threw" | "timeout" | "bad" | "exited" | "chain" | "aborted" | "engine";

/** How a handler failed. */
export interface Failure {
  readonly cause: Cause;
  /** In words, without payload text. */
  readonly message: string;
  /** What was thrown, where something was. */
  readonly error?: unknown;
  /**
   * The hook wanted another call than the one before it, and that one cannot be had. A guard's failure then refuses,
   * whatever its policy (decision 62).
   */
  readonly rewrite?: true;
}

/** What a failure policy may ask about the hook that failed. */
export interface FailedHook {
  readonly id: string;
  readonly path: string;
  readonly onError: "skip" | "abort" | undefined;
}

/** A part of an answer that has no effect, and why. */
export interface Odd {
  readonly field: string;
  readonly problem: string;
}

/**
 * A raw answer, read. `odd` names what has no effect, `notice` is a line for the person; `answer: undefined` is "no
 * answer". `isPrivate`: the answer is a copy, so that no part of it is in the hook's reach.
 */
export type ReadResult<A> =
  | {
      readonly ok: true;
      readonly answer: A | undefined;
      readonly odd?: readonly Odd[];
      readonly notice?: string;
      readonly isPrivate?: true;
    }
  | { readonly ok: false; readonly problem: string; readonly rewrite?: true };

/** What the one who answers was shown. */
export interface Shown {
  /** What they say of a field, out of their reach: the event's own where it is as they were shown it, else copied. */
  settle(field: string, said: unknown): unknown;
}

/** How a raw answer is read; made by `strict`, `field` or `truthy`. */
export interface Read<A> {
  readonly name: "strict" | "field" | "truthy";
  (raw: unknown, shown?: Shown): ReadResult<A>;
}

/** The columns that the catalog's rows and the dialects' rows share. */
export interface Columns<Answer, Outcome> {
  /** `area.moment` in the catalog; the dialect's own spelling in a dialect table. */
  readonly name: string;
  readonly kind: Kind;
  readonly schedule: Schedule;
  readonly fold: Fold<Answer, Outcome>;
  /** Per field of the event; fields that are not listed are `original`. */
  readonly feeds: Readonly<Record<string, Feed>>;
  readonly read: Read<Answer>;
  /** The answer that a failure counts as, with the dialect's own text; `undefined` means open. */
  failed(failure: Failure, hook: FailedHook): Answer | undefined;
  /** The field of the event that a matcher is tested on. */
  readonly subject?: string;
  /** Limit of one handler. Absent means none: a notice is shown after 5 s. */
  readonly timeoutMs?: number;
  /** Limit of a whole lane, asked before each start. */
  readonly budgetMs?: number;
  readonly since: string;
}

/** Schemas of the event and of one answer, built at first use. */
export interface Schemas {
  payload(): Schema;
  answer(): Schema;
}

/** One of hookline's own events: a moment of a host. */
export interface CatalogRow extends Columns<never, unknown>, Schemas {
  /** One sentence: when it fires. */
  readonly fires: string;
  /** Only for guards. */
  readonly guard?: GuardRule;
  /** Only where it matters whose hooks an outcome comes from. */
  readonly attribute?: AttributeRule;
  /** Only where work must not go on while a hook that must run is absent (decision 54). */
  readonly standIn?: StandInRule;
  /**
   * Only where hooks may redact: the answer that keeps back what a hook was to redact and could not.
   * Where a text is replaced, `because` stands in its place.
   */
  withhold?(payload: Readonly<Record<string, unknown>>, because: string): Readonly<Record<string, unknown>>;
}

/** A catalog row with the types that follow from its schemas and folds. None of the three is there at run time. */
export interface TypedRow<Payload, Answer, Folded> extends CatalogRow {
  readonly told?: Payload;
  readonly answered?: Answer;
  readonly folded?: Folded;
}

/** An outcome of which the host is told whose answers it comes from. */
export interface AttributeRule {
  readonly field: string;
  readonly value: string;
}

/** How the absence of a hook that must run is answered. */
export interface StandInRule {
  /** `guard`: stands in for hooks that may guard. `prompt`: for those that are known to guard nothing. */
  readonly for: "guard" | "prompt";
  /** The answer that refuses, with the reason for the person or the model. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
}

/** What makes a row a guard: what is judged, and how a refusal is written. */
export interface GuardRule {
  /**
   * The payload's field that is judged. A handler that saw another value than the final one
   * is asked once more, and may only agree or refuse (architecture, law 3).
   */
  readonly judges: string;
  /** The answer with which the engine refuses. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
  refused(answer: Readonly<Record<string, unknown>>): boolean;
}
