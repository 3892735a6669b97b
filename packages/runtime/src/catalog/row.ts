import type { Fold } from "../fold/fold.ts";

/** A valibot schema, as a plain type, so that embedders need not load valibot's many own types. */
export interface Schema {
  readonly kind: "schema";
  readonly type: string;
}

/** The purpose of an event. Together with a failure's cause it decides what the failure means (guarantees 2.0). */
export type Kind = "guard" | "gate" | "transform" | "redactor" | "control" | "observe" | "shutdown";

/**
 * Says whether later handlers see earlier answers. `original`: no. `chain`: yes. `agreed`: only after a conflict. If
 * handlers change the field in different ways, they are asked again one after the other, and each sees the edits so
 * far. `draft`: yes, and edits in place of the lane's private copy count as answers. `shared`: they see edits in place
 * only; if an answer has the field too, the answer counts.
 */
export type Feed = "original" | "chain" | "agreed" | "draft" | "shared";

/**
 * `series`: one after the other, until the fold is settled. `all`: in order, never ending early. `parallel`: started
 * together, folded in order.
 */
export type Schedule = "series" | "all" | "parallel";

/**
 * The agents of a session that fire an event: `all`, or only the `main` one, so that sub-agents do not trigger a hook
 * that continues a finished run.
 */
export type Agents = "all" | "main";

/**
 * The reason why a handler has no answer. `engine` marks failures that are not the hook's fault (its input is too
 * large, no file descriptor is free, its file is gone); `chain` means that its lane's time budget was used up before it
 * could start.
 */
export type Cause = "threw" | "timeout" | "bad" | "exited" | "chain" | "aborted" | "engine";

/** How a handler failed. */
export interface Failure {
  readonly cause: Cause;
  /** A description of the failure without text from the payload. */
  readonly message: string;
  /** The thrown value, if there is one. */
  readonly error?: unknown;
  /**
   * Set if the hook changed the call so that it cannot run. On a guarded event the call is then refused, whatever the
   * hook's failure policy says (ruling 62).
   */
  readonly rewrite?: true;
}

/** Facts about a failed hook for a failure policy. */
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
 * The result of reading a raw answer. `odd` names what has no effect, `notice` is a line for the person; `answer:
 * undefined` means "no answer". `isPrivate`: the answer is a copy that the hook cannot reach.
 */
export type ReadResult<A> =
  | {
      readonly ok: true;
      readonly answer: A | undefined;
      readonly odd?: readonly Odd[];
      readonly notice?: string;
      readonly isPrivate?: true;
      /** The author of each edit, by field, if the answer combines those of several hooks. */
      readonly by?: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: string; readonly rewrite?: true };

/** A reader of raw answers, made by `strict`, `field` or `truthy`. */
export interface Read<A> {
  readonly name: "strict" | "field" | "truthy";
  (raw: unknown): ReadResult<A>;
}

/** The columns that the catalog's rows and the dialects' rows share. */
export interface Columns<Answer, Outcome> {
  /** The event's name: `tool.before` and the like in the catalog, the dialect's own spelling in a dialect table. */
  readonly name: string;
  readonly kind: Kind;
  readonly schedule: Schedule;
  readonly fold: Fold<Answer, Outcome>;
  /** How later handlers see each field of the event; fields that are not listed are `original`. */
  readonly feeds: Readonly<Record<string, Feed>>;
  readonly read: Read<Answer>;
  /**
   * Checks of fields that handlers may edit in place, made after each handler. If a check returns a problem, the
   * handler has failed and its edit is dropped.
   */
  readonly inPlace?: Readonly<Record<string, (value: unknown) => string | undefined>>;
  /**
   * Returns the answer that replaces a failed handler's, in the dialect's own words; `undefined` lets the event go on.
   */
  failed(failure: Failure, hook: FailedHook): Answer | undefined;
  /** The line of a failed hook's output that people are shown: the first one. Absent: the last one. */
  readonly said?: "first";
  /** The event's field that matchers are compared with. */
  readonly subject?: string;
  /** The time limit of one handler. Absent means none: the person only sees a notice after 5 s. */
  readonly timeoutMs?: number;
  /** The time limit of a whole lane, checked before each handler starts. */
  readonly budgetMs?: number;
  readonly since: string;
}

/** The schemas of the event and of one answer, built when they are first used. */
export interface Schemas {
  payload(): Schema;
  answer(): Schema;
}

/** A row of the catalog: one of hookline's own events, which a host fires. */
export interface CatalogRow extends Columns<never, unknown>, Schemas {
  /** One sentence that says when the event fires. */
  readonly fires: string;
  /** The agents that fire the event; a dialect's row may set this differently for its own hooks. */
  readonly agents: Agents;
  /** The field that guards judge and the answer that refuses; set only for guards. */
  readonly guard?: GuardRule;
  /** Set if the outcome must name the hooks that decided, as for `decision: "ask"`. */
  readonly attribute?: AttributeRule;
  /** Refuses the event while a required hook is absent; set only if work must stop then (ruling 54). */
  readonly standIn?: StandInRule;
  /**
   * Returns the answer that withholds what a hook should have redacted but could not; only if hooks may redact.
   * `because` replaces the withheld text.
   */
  withhold?(payload: Readonly<Record<string, unknown>>, because: string): Readonly<Record<string, unknown>>;
  /**
   * Whether a failure of any hook but an observer withholds the text, even if the hook's row would let the event go
   * ahead; only with `withhold`. If an answer has `stop`, the text is left out of the recording too.
   */
  readonly closed?: true;
  /** How the moment is recorded; absent if it is recorded unchanged. */
  readonly recorded?: RecordRule;
}

/** Rules for recording a moment. */
export interface RecordRule {
  /** The lowest recording level that includes the moment; default `decisions`. */
  readonly from?: "all";
  /**
   * For each field, the fields that may contain the same text. If hooks changed the field but not such a copy, the
   * recording leaves out the copy.
   */
  readonly copies?: Readonly<Record<string, readonly string[]>>;
  /** Fields that are recorded by name only, never by value. */
  readonly names?: readonly string[];
  /**
   * Fields whose text hooks on `events` may redact. If there are such hooks and `waits` is set, the recording waits for
   * these events and omits what they redact. Without `waits` it omits the whole fields.
   */
  readonly before?: {
    readonly fields: readonly string[];
    readonly events: readonly string[];
    readonly waits?: true;
  };
  /**
   * Returns whether one of `before.events` may still follow, given the moment's payload; only then does the recording
   * wait. Default: yes.
   */
  follows?(payload: Readonly<Record<string, unknown>>): boolean;
  /** Whether this event ends every wait: all moments that still wait for other events are recorded. */
  readonly settles?: true;
}

/** A catalog row with the types that follow from its schemas and folds. Its own fields do not exist at run time. */
export interface TypedRow<Payload, Answer, Folded> extends CatalogRow {
  readonly told?: Payload;
  readonly answered?: Answer;
  readonly folded?: Folded;
}

/** A field and its value, such as `decision` and `ask`. An outcome with it names the hooks that gave this answer. */
export interface AttributeRule {
  readonly field: string;
  readonly value: string;
}

/** The answer that is used while a required hook is absent. */
export interface StandInRule {
  /**
   * The absent hooks for which the answer is used: `guard` for hooks that may guard, `prompt` for hooks that are known
   * to guard nothing.
   */
  readonly for: "guard" | "prompt";
  /** Returns the answer that refuses. The reason is for the person or the model. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
}

/** Makes a row a guard: says which field is judged and which answer refuses. */
export interface GuardRule {
  /**
   * The payload's field that is judged. A handler that saw a value other than the final one is asked once more, and may
   * only agree or refuse (architecture, law 3).
   */
  readonly judges: string;
  /** Returns the answer with which the engine refuses. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
  refused(answer: Readonly<Record<string, unknown>>): boolean;
}
