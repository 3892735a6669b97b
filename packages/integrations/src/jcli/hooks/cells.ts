import type { EventName } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { collect, type DialectRow, type Fold, halt, last, record, row } from "@hookline/runtime/dialect";
import type { FailedHook, Failure } from "@hookline/runtime/engine";
import { type HookResult, readEnding, readResult } from "./answer.ts";
import { readTold, remarked } from "./remarks.ts";
import type { HookContext, HookOutcome } from "./views.ts";

/** The time from the start of an event after which no further hook is started, in ms. Source: seed 003, "链总超时 30s". */
const CHAIN_MS = 30_000;

type Fields = Partial<Record<keyof HookResult, Fold<never, unknown>>>;
type Answer = Readonly<Record<string, unknown>>;

/**
 * Folds answers field by field. Later answers replace earlier ones, except in fields that `own` accumulates, and in
 * `system_message` (ruling 31).
 */
function fields(own: Fields): Fold<HookResult, HookOutcome> {
  return record<HookResult, HookOutcome>({ ...own, system_message: collect() });
}

/**
 * Folds answers until one has an `action`. Then earlier answers are dropped, and only `action`, `retry_feedback`,
 * `additional_context` and `system_message` of this one count.
 */
function discarding(own: Fields): Fold<HookResult, HookOutcome> {
  return halt<HookResult, HookOutcome>({ name: "action", by: ends, keep: lastWords }, fields(own));
}

/** Folds answers until one has an `action`. That answer and all earlier ones count. */
function applying(own: Fields): Fold<HookResult, HookOutcome> {
  const inner = fields(own);
  return halt<HookResult, HookOutcome>(
    {
      name: "action",
      by: ends,
      keep: (answer, before) => {
        const together = inner.result(inner.step(inner.empty, answer)) ?? {};
        return joined({ ...before }, { ...together }) as HookOutcome;
      },
    },
    inner,
  );
}

/** Makes a fold by which the last value counts. */
export const replace = (): Fold<never, unknown> => last<never>();
/** Makes a fold that collects all values, in hook order. */
export const append = (): Fold<never, unknown> => collect<never>();

function ends(answer: HookResult): boolean {
  return answer.action !== undefined;
}

/** Keeps the four fields of an answer with an `action`. Texts become lists, as in the fold of other answers. */
function lastWords({ action, retry_feedback, additional_context, system_message }: HookResult): HookOutcome {
  return {
    ...(action !== undefined && { action }),
    ...(retry_feedback !== undefined && { retry_feedback }),
    ...(additional_context !== undefined && { additional_context: [additional_context] }),
    ...(system_message !== undefined && { system_message: [system_message] }),
  };
}

function joined(before: Answer, now: Answer): Answer {
  const lists = Object.keys(now).filter((key) => Array.isArray(before[key]) && key !== "messages");
  return {
    ...before,
    ...now,
    ...Object.fromEntries(lists.map((key) => [key, [...(before[key] as unknown[]), ...(now[key] as unknown[])]])),
  };
}

/** Treats a failure as `action: stop` if the hook's `on_error` is `abort`, and otherwise as no answer. */
function failed(failure: Failure, hook: FailedHook): HookResult | undefined {
  return hook.onError === "abort" && failure.cause !== "aborted" ? { action: "stop" } : undefined;
}

type Row<E extends EventName> = DialectRow<E, HookContext, HookResult, HookOutcome>;

type Spec<E extends EventName> = Pick<Row<E>, "name" | "of" | "kind" | "feeds" | "subject" | "when" | "view"> & {
  /** The fold of each field of the hooks' answers. */
  readonly fields: Fields;
  /** Whether an answer with an `action` keeps the earlier answers or drops them. */
  readonly actionKeeps: "nothing" | "everything";
  readonly read?: Row<E>["read"];
};

/** Makes a row whose hooks run one after the other. Each sees the changes of those before it. */
export function chained<E extends EventName>({ fields: own, actionKeeps, read, ...spec }: Spec<E>): LaneRow {
  const discards = actionKeeps === "nothing";
  return row<E, HookContext, HookResult, HookOutcome>({
    ...spec,
    read: remarked(spec.name, read ?? (discards ? readEnding : readResult)),
    fold: discards ? discarding(own) : applying(own),
    schedule: "series",
    failed,
    budgetMs: CHAIN_MS,
  });
}

type Notice<E extends EventName> = Pick<Row<E>, "name" | "of" | "when"> & {
  readonly kind?: "observe" | "shutdown";
  readonly see: Row<E>["view"]["get"];
};

/** Makes a row whose hooks only observe. Their answers are ignored. */
export function told<E extends EventName>({ see, kind = "observe", ...spec }: Notice<E>): LaneRow {
  return row<E, HookContext, HookResult, HookOutcome>({
    ...spec,
    kind,
    schedule: kind === "observe" ? "parallel" : "all",
    fold: record<HookResult, HookOutcome>({}),
    read: readTold(spec.name),
    budgetMs: CHAIN_MS,
    view: { get: see, put: () => undefined },
  });
}
