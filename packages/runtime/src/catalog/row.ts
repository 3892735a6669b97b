import type { Fold } from "../fold/fold.ts";

/** A valibot schema, as a plain type: valibot's own types are many, and embedders should not have to load them. */
export interface Schema {
  readonly kind: "schema";
  readonly type: string;
}

/** The purpose of an event. Together with its cause this decides what a failure means (guarantees 2.0). */
export type Kind = "guard" | "gate" | "transform" | "redactor" | "control" | "observe" | "shutdown";

/**
 * Whether later handlers see earlier answers. `original`: they do not. `chain`: they do. `agreed`: they do not at
 * first; if several change the field in different ways, they are asked again one after the other, and each sees the
 * edits of those before it, so that no edit is lost. `draft`: chain, and in-place edits of the lane's private copy are
 * answers too. `shared`: later handlers see only the in-place edits; the folded answers override these edits field by
 * field.
 */
export type Feed = "original" | "chain" | "agreed" | "draft" | "shared";

/**
 * `series`: one after the other, until the fold is settled. `all`: in order, never ending early. `parallel`: started
 * together, folded in order.
 */
export type Schedule = "series" | "all" | "parallel";

/**
 * Which agents of a session fire an event: `all`, or only the `main` one, so that a hook that continues a finished run
 * is not started by sub-agents.
 */
export type Agents = "all" | "main";

/**
 * Why a handler has no answer. `engine` marks failures that are not the hook's fault (too large, no descriptors, file
 * gone); `chain` that its lane's time budget was used up before it could start.
 */
export type Cause = "threw" | "timeout" | "bad" | "exited" | "chain" | "aborted" | "engine";

/** How a handler failed. */
export interface Failure {
  readonly cause: Cause;
  /** In words, without payload text. */
  readonly message: string;
  /** The thrown value, if there is one. */
  readonly error?: unknown;
  /**
   * The hook changed the call, and the changed call cannot run. A guard's failure then refuses, whatever its policy
   * (decision 62).
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
 * A raw answer, read. `odd` names what has no effect, `notice` is a line for the person; `answer: undefined` means "no
 * answer". `isPrivate`: the answer is a copy that the hook cannot reach.
 */
export type ReadResult<A> =
  | {
      readonly ok: true;
      readonly answer: A | undefined;
      readonly odd?: readonly Odd[];
      readonly notice?: string;
      readonly isPrivate?: true;
      /** The author of each edit, by field, if the hook passes on others' answers. */
      readonly by?: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: string; readonly rewrite?: true };

/** How a raw answer is read; made by `strict`, `field` or `truthy`. */
export interface Read<A> {
  readonly name: "strict" | "field" | "truthy";
  (raw: unknown): ReadResult<A>;
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
  /**
   * Checks of fields that handlers may edit in place, made after each handler. A problem is that handler's failure, and
   * the edit is dropped.
   */
  readonly inPlace?: Readonly<Record<string, (value: unknown) => string | undefined>>;
  /** The answer that a failure counts as, with the dialect's own text; `undefined` fails open. */
  failed(failure: Failure, hook: FailedHook): Answer | undefined;
  /** The line of a failed hook's output that is shown. Default: the last one. */
  readonly said?: "first";
  /** The field of the event that a matcher is tested on. */
  readonly subject?: string;
  /** Limit of one handler. Absent means none: a notice is shown after 5 s. */
  readonly timeoutMs?: number;
  /** Limit of a whole lane, checked before each start. */
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
  /** A dialect's row may say otherwise for its own hooks. */
  readonly agents: Agents;
  /** Only for guards. */
  readonly guard?: GuardRule;
  /** Only if it matters whose hooks an outcome comes from. */
  readonly attribute?: AttributeRule;
  /** Only if work must stop while a required hook is absent (decision 54). */
  readonly standIn?: StandInRule;
  /**
   * Only if hooks may redact: the answer that withholds what a hook should have redacted but could not. `because`
   * replaces the withheld text.
   */
  withhold?(payload: Readonly<Record<string, unknown>>, because: string): Readonly<Record<string, unknown>>;
  /** Every failing hook withholds, whatever its policy; only with `withhold`. A stopped moment is recorded without its text. */
  readonly closed?: true;
  /** Only if a recording does not have the moment as it is. */
  readonly recorded?: RecordRule;
}

/** Rules for recording a moment. */
export interface RecordRule {
  /** The lowest level that has it; default `decisions`. */
  readonly from?: "all";
  /** By field, others that may repeat its text: left out where a hook has changed it and not them. */
  readonly copies?: Readonly<Record<string, readonly string[]>>;
  /** Fields that are recorded by name only, never by value. */
  readonly names?: readonly string[];
  /**
   * Fields with text that hooks of these events may still redact, or have redacted elsewhere. If such hooks exist, the
   * moment waits for those events and omits what they redact; without `waits` the fields are omitted at once.
   */
  readonly before?: {
    readonly fields: readonly string[];
    readonly events: readonly string[];
    readonly waits?: true;
  };
  /** Whether this event may follow a moment with this payload, which waits for it then. Default: it may. */
  follows?(payload: Readonly<Record<string, unknown>>): boolean;
  /** Nothing waits any longer. */
  readonly settles?: true;
}

/** A catalog row with the types that follow from its schemas and folds. These three fields do not exist at run time. */
export interface TypedRow<Payload, Answer, Folded> extends CatalogRow {
  readonly told?: Payload;
  readonly answered?: Answer;
  readonly folded?: Folded;
}

/** An outcome that names the hooks whose answers it comes from. */
export interface AttributeRule {
  readonly field: string;
  readonly value: string;
}

/** The answer while a required hook is absent. */
export interface StandInRule {
  /** `guard`: stands in for hooks that may guard. `prompt`: for hooks that are known to guard nothing. */
  readonly for: "guard" | "prompt";
  /** The answer that refuses, with the reason for the person or the model. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
}

/** Makes a row a guard: the field that is judged, and the form of a refusal. */
export interface GuardRule {
  /**
   * The payload's field that is judged. A handler that saw a value other than the final one is asked once more, and may
   * only agree or refuse (architecture, law 3).
   */
  readonly judges: string;
  /** The answer with which the engine refuses. */
  refuse(reason: string): Readonly<Record<string, unknown>>;
  refused(answer: Readonly<Record<string, unknown>>): boolean;
}
