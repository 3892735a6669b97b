import type { EventName } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { collect, type DialectRow, type Fold, halt, last, record, row } from "@hookline/runtime/dialect";
import type { FailedHook, Failure } from "@hookline/runtime/engine";
import { type HookResult, readEnding, readResult } from "./answer.ts";
import { readTold, remarked } from "./remarks.ts";
import type { HookContext, HookOutcome } from "./views.ts";

/** The time after which no further hook of an event is started. Source: seed 003, "链总超时 30s". */
const CHAIN_MS = 30_000;

type Fields = Partial<Record<keyof HookResult, Fold<never, unknown>>>;
type Answer = Readonly<Record<string, unknown>>;

/** Later answers replace earlier ones, except added texts and messages, which accumulate (decision 31). */
function fields(own: Fields): Fold<HookResult, HookOutcome> {
  return record<HookResult, HookOutcome>({ ...own, system_message: collect() });
}

/** An action ends the chain; only four fields of the hook that ended it are left. */
function discarding(own: Fields): Fold<HookResult, HookOutcome> {
  return halt<HookResult, HookOutcome>({ name: "action", by: ends, keep: lastWords }, fields(own));
}

/** An action only ends the chain: everything said before and with it is applied. */
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

/** The last answer of a field counts. */
export const replace = (): Fold<never, unknown> => last<never>();
/** Every answer of a field counts, in hook order. */
export const append = (): Fold<never, unknown> => collect<never>();

function ends(answer: HookResult): boolean {
  return answer.action !== undefined;
}

/** Lists, as the fold makes them of the answers that do not end. */
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

/** A failed hook whose `on_error` is `abort` counts as one that said `stop`; any other as one that said nothing. */
function failed(failure: Failure, hook: FailedHook): HookResult | undefined {
  return hook.onError === "abort" && failure.cause !== "aborted" ? { action: "stop" } : undefined;
}

type Row<E extends EventName> = DialectRow<E, HookContext, HookResult, HookOutcome>;

type Spec<E extends EventName> = Pick<Row<E>, "name" | "of" | "kind" | "feeds" | "subject" | "when" | "view"> & {
  /** How the answers of several hooks become one, by field. */
  readonly fields: Fields;
  /** The part of the hooks' answers that an action keeps: `nothing` if it has its own meaning, else `everything`. */
  readonly actionKeeps: "nothing" | "everything";
  readonly read?: Row<E>["read"];
};

/** A row whose hooks run one after the other, each seeing what those before it changed. */
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

/** A row whose hooks only observe; their answers are ignored. */
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
