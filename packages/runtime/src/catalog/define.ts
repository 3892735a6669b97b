import { type GenericSchema, type InferOutput, type ObjectEntries, strictObject } from "valibot";
import type { Fold } from "../fold/fold.ts";
import { halt } from "../fold/halt.ts";
import { last } from "../fold/last.ts";
import { record } from "../fold/record.ts";
import { strict } from "./read.ts";
import type { Agents, CatalogRow, Feed, GuardRule, Kind, Schedule, StandInRule, TypedRow } from "./row.ts";

type Folds = Readonly<Record<string, Fold<never, unknown>>>;

interface Definition<P extends ObjectEntries, A extends ObjectEntries, F extends Folds> {
  readonly fires: string;
  readonly kind: Kind;
  /** The fields of the event. */
  readonly payload: () => P;
  /** The fields that a handler may answer with; `{}` for an event that hooks can only observe. */
  readonly answer: () => A;
  /** A fold for each field of the answer; a field without one uses `last`. */
  readonly folds?: F;
  /** Answers that end the dispatch. All earlier answers still count. */
  readonly ends?: Ends;
  readonly feeds?: Readonly<Record<string, Feed>>;
  readonly schedule?: Schedule;
  /** The agents that fire the event. Default `all`, because a guard must see what a sub-agent does. */
  readonly agents?: Agents;
  readonly subject?: string;
  readonly timeoutMs?: number;
  readonly guard?: GuardRule;
  readonly attribute?: CatalogRow["attribute"];
  readonly standIn?: StandInRule;
  readonly withhold?: CatalogRow["withhold"];
  readonly closed?: true;
  readonly recorded?: CatalogRow["recorded"];
}

interface Ends {
  readonly name: string;
  by(answer: Readonly<Record<string, unknown>>): boolean;
}

/** Ends the dispatch at an answer in which one of these fields is truthy. */
export function on(...fields: string[]): Ends {
  return { name: fields.join("|"), by: (answer) => fields.some((field) => Boolean(answer[field])) };
}

type OptionalKeys<E extends ObjectEntries> = {
  [K in keyof E]: undefined extends InferOutput<E[K]> ? K : never;
}[keyof E];

/** The type of an object with these entries, optional where `undefined` is allowed. */
export type Fields<E extends ObjectEntries> = {
  readonly [K in Exclude<keyof E, OptionalKeys<E>>]: InferOutput<E[K]>;
} & {
  readonly [K in OptionalKeys<E>]?: InferOutput<E[K]>;
};

/** Expands a type, so that editors and declarations show its fields instead of how they were derived. */
type Plain<T> = { [K in keyof T]: T[K] } & {};

/** A fold that collects a field's values in a list; every other fold keeps the field's own type. */
interface ListFold {
  readonly name: "collect" | "prepend";
}

type AnswerField<A extends ObjectEntries, K extends keyof A> = Exclude<InferOutput<A[K]>, undefined>;

/** The type of the folded answers, by field. */
type FoldedFields<A extends ObjectEntries, F> = {
  readonly [K in keyof A]?: K extends keyof F
    ? F[K] extends ListFold
      ? readonly AnswerField<A, K>[]
      : AnswerField<A, K>
    : AnswerField<A, K>;
};

/** The row that results from these schemas and folds. */
type RowOf<P extends ObjectEntries, A extends ObjectEntries, F extends Folds> = TypedRow<
  Plain<Fields<P>>,
  Plain<Fields<A>>,
  Plain<FoldedFields<A, F>>
>;

/**
 * Completes a row with defaults. The kind decides the schedule: `series` for guards, gates and shutdown, `parallel` for
 * observers, `all` for the rest. Answers are read strictly. If a handler fails, a guard refuses, and any other event
 * goes ahead.
 */
export function define<P extends ObjectEntries, A extends ObjectEntries, const F extends Folds = Record<never, never>>(
  name: string,
  of: Definition<P, A, F>,
): RowOf<P, A, F> {
  let fields: A | undefined;
  const answer = (): GenericSchema => strictObject((fields ??= of.answer()));
  return {
    name,
    fires: of.fires,
    kind: of.kind,
    schedule: of.schedule ?? schedules[of.kind],
    agents: of.agents ?? "all",
    fold: lazily(() => {
      const folds: Record<string, Fold<never, unknown>> = {};
      for (const field of Object.keys((fields ??= of.answer()))) folds[field] = of.folds?.[field] ?? last();
      const inner = record<Answer>(folds);
      return (of.ends === undefined ? inner : halt<Answer, Answer>(of.ends, inner)) as Fold;
    }),
    feeds: of.feeds ?? {},
    read: strict<never>(answer as () => GenericSchema<unknown, never>),
    failed: of.guard === undefined ? () => undefined : refusing(of.guard),
    ...(of.subject !== undefined && { subject: of.subject }),
    ...(of.timeoutMs !== undefined && { timeoutMs: of.timeoutMs }),
    ...(of.guard !== undefined && { guard: of.guard }),
    ...(of.attribute !== undefined && { attribute: of.attribute }),
    ...(of.standIn !== undefined && { standIn: of.standIn }),
    ...(of.withhold !== undefined && { withhold: of.withhold }),
    ...(of.closed !== undefined && { closed: of.closed }),
    ...(of.recorded !== undefined && { recorded: of.recorded }),
    payload: () => strictObject(of.payload()),
    answer,
    since: "0.1.0",
  };
}

type Answer = Readonly<Record<string, unknown>>;

const schedules: Readonly<Record<Kind, Schedule>> = {
  guard: "series",
  gate: "series",
  transform: "all",
  redactor: "all",
  control: "all",
  observe: "parallel",
  shutdown: "series",
};

function refusing(guard: GuardRule): CatalogRow["failed"] {
  return (failure, hook) => guard.refuse(`${hook.id} failed: ${failure.message}`) as never;
}

/** Returns a fold that is created when it is first needed, so that no schema is built at start. */
function lazily(make: () => Fold): Fold<never, unknown> {
  let made: Fold | undefined;
  const inner = (): Fold => (made ??= make());
  return {
    get name() {
      return inner().name;
    },
    empty: undefined,
    step: (state, answer) => inner().step(state ?? inner().empty, answer),
    settled: (state) => state !== undefined && inner().settled(state),
    result: (state) => (state === undefined ? undefined : inner().result(state)),
  };
}
