import type { Message } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { collect, isObject, isString, last, record, row } from "@hookline/runtime/dialect";
import type { PromptOptions } from "@hookline/runtime/engine";
import { isBoolean, loose } from "../../in-process/rows.ts";
import { type BeforeAgentStartOutcome, beforeAgentStartView } from "./start.ts";
import { HANDLER_MS, told } from "./told.ts";
import { type BoundaryAnswer, beforeSettleView, changes, isCustomMessage, isDraft, turnEndView } from "./views.ts";

interface BeforeAgentStartAnswer {
  readonly message?: NonNullable<BeforeAgentStartOutcome["message"]>[number];
  readonly systemPrompt?: string;
  readonly systemPromptOptions?: PromptOptions;
}

const readBoundary = loose<BoundaryAnswer>({
  entries: (value) => Array.isArray(value) && value.every(isDraft),
  continue: isBoolean,
});
const boundaryFold = record<BoundaryAnswer>({ entries: last(), continue: last() });
const boundaryFeeds = { entries: "chain", continue: "chain" } as const;

/** The rows of one run of the agent: its start and end, its turns, its messages. */
export const runRows: readonly LaneRow[] = [
  row({
    name: "before_agent_start",
    of: "agent.before-start",
    kind: "transform",
    schedule: "all",
    fold: record<BeforeAgentStartAnswer, BeforeAgentStartOutcome>({
      message: collect(),
      systemPrompt: last(),
      systemPromptOptions: last(),
    }),
    feeds: { systemPrompt: "chain", systemPromptOptions: "draft" },
    read: loose<BeforeAgentStartAnswer>({ message: isCustomMessage, systemPrompt: isString }),
    timeoutMs: HANDLER_MS,
    view: beforeAgentStartView,
  }),
  told("agent_start", "agent.start", () => ({})),
  told("agent_end", "agent.end", ({ messages }) => ({ messages })),
  row({
    name: "agent_before_settle",
    of: "agent.before-settle",
    kind: "control",
    schedule: "all",
    fold: boundaryFold,
    feeds: boundaryFeeds,
    read: readBoundary,
    timeoutMs: HANDLER_MS,
    view: beforeSettleView,
  }),
  told("agent_settled", "agent.settled", ({ aborted }) => ({ aborted })),
  told("turn_start", "turn.start", ({ turnIndex, timestamp }) => ({ turnIndex, timestamp })),
  row({
    name: "turn_end",
    of: "turn.end",
    kind: "control",
    schedule: "all",
    fold: boundaryFold,
    feeds: boundaryFeeds,
    read: readBoundary,
    timeoutMs: HANDLER_MS,
    view: turnEndView,
  }),
  told("message_start", "message.start", ({ message }) => ({ message })),
  told("message_update", "message.update", ({ message, event }) => ({ message, assistantMessageEvent: event })),
  row({
    name: "message_end",
    of: "message.end",
    kind: "transform",
    schedule: "all",
    fold: record<{ readonly message?: Message }>({ message: last() }),
    feeds: { message: "chain" },
    read: loose<{ readonly message?: Message }>({ message: isObject }),
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ message }) => ({ type: "message_end", message }),
      put(outcome, payload) {
        const problem = sameRole(outcome, payload);
        if (problem !== undefined) throw new Error(problem);
        return changes(outcome, payload, ["message"]);
      },
    },
  }),
];

/** Checks that a replaced message keeps its role. Returns pi's error message. */
export function sameRole(answer: unknown, event: unknown): string | undefined {
  const given = (answer as { readonly message?: { readonly role?: unknown } } | null | undefined)?.message;
  const { message } = event as { readonly message: Message };
  if (typeof given !== "object" || given === null || given.role === message.role) return undefined;
  return "message_end handlers must return a message with the same role";
}
