import type { EventName } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { collect, type DialectRow, type Fold, first, last, record, row } from "@hookline/runtime/dialect";
import type { FailedHook, Failure } from "@hookline/runtime/engine";
import { blocking, type ClaudeAnswer, type Ruling, readAs } from "./answer.ts";
import { EVENTS, type MomentName, mayBlockOnFailure } from "./fields.ts";
import type { ClaudeEvent, ClaudeOutcome } from "./views.ts";

const RANKS: readonly Ruling["decision"][] = ["allow", "ask", "deny"];

/** Keeps the strictest decision. Reasons of hooks that decided the same are joined, in hook order. */
export function strictestRuling(): Fold<Ruling, Ruling> {
  return {
    name: "strictest, reasons joined",
    empty: undefined,
    step(state, answer) {
      const before = state as Ruling | undefined;
      const more = before === undefined ? 1 : RANKS.indexOf(answer.decision) - RANKS.indexOf(before.decision);
      if (before === undefined || more > 0) return answer;
      if (more < 0 || answer.reason === undefined || answer.reason === before.reason) return before;
      return { ...before, reason: before.reason === undefined ? answer.reason : `${before.reason}\n${answer.reason}` };
    },
    settled: () => false,
    result: (state) => state as Ruling | undefined,
  };
}

/** The fold of each field of the hooks' answers. Source: spec/claude.md 5, "Fold over hooks of one event". */
const FOLDS = {
  ruling: strictestRuling(),
  block: collect<never>(),
  halt: first<never>(),
  remark: collect<never>(),
  additionalContext: collect<never>(),
  tool_input: last<never>(),
  tool_response: last<never>(),
  title: last<never>(),
  firstMessage: last<never>(),
  elicited: first<never>(),
} satisfies Record<keyof ClaudeAnswer, Fold<never, unknown>>;

type Row<E extends EventName> = DialectRow<E, ClaudeEvent, ClaudeAnswer, ClaudeOutcome>;

type Spec<E extends EventName> = Pick<Row<E>, "of" | "agents" | "when" | "view" | "kind" | "feeds"> & {
  readonly name: MomentName;
  /** The fields of an answer that have an effect on this event. */
  readonly reads: readonly (keyof ClaudeAnswer)[];
};

/**
 * Makes a row whose hooks all start together and run to their end. Answers are folded in the order of the settings.
 * Source: spec/claude.md 5.
 */
export function concurrent<E extends EventName>({ reads, ...spec }: Spec<E>): LaneRow {
  const { subject } = EVENTS[spec.name] ?? {};
  return row<E, ClaudeEvent, ClaudeAnswer, ClaudeOutcome>({
    ...spec,
    ...(subject !== undefined && { subject }),
    schedule: "parallel",
    said: "first",
    fold: record<ClaudeAnswer, ClaudeOutcome>(Object.fromEntries(reads.map((name) => [name, FOLDS[name]]))),
    read: readAs(spec.name),
    failed: failedAs(spec.name),
  });
}

/** Treats a hook's failure as exit code 2 if its entry says `onFailure: block`, and otherwise as no answer. */
function failedAs(event: string): (failure: Failure, hook: FailedHook) => ClaudeAnswer | undefined {
  const isBlocking = mayBlockOnFailure(event);
  return (failure, hook) =>
    isBlocking && hook.onError === "abort" && failure.cause !== "aborted"
      ? blocking(event, `A hook failed: ${failure.message}`)
      : undefined;
}
