import type { Message } from "../../catalog/message.ts";
import { last, record } from "../../fold/index.ts";
import type { LaneRow } from "../../hook/lane.ts";
import { contextView, isMessages } from "../inprocess/conversation.ts";
import { loose } from "../inprocess/read.ts";
import { present } from "../inprocess/told.ts";
import { row } from "../row.ts";
import { type Limit, told } from "./told.ts";

interface Listed {
  readonly messages?: readonly Message[];
}

/** Automatic compaction is always of the whole context here. */
const ACTION = "context-full";

/** One run of the agent in both APIs: its start and end, its turns, each request's context, what goes on by itself. */
export function runRows(limit: Limit): readonly LaneRow[] {
  return [
    told(limit, "agent_start", "agent.start", () => ({})),
    told(limit, "agent_end", "agent.end", ({ messages }) => ({ messages })),
    told(limit, "turn_start", "turn.start", ({ turnIndex, timestamp }) => ({ turnIndex, timestamp })),
    told(limit, "turn_end", "turn.end", ({ turnIndex, message, toolResults }) => ({ turnIndex, message, toolResults })),
    row<"model.context", object, Listed, Listed>({
      name: "context",
      of: "model.context",
      kind: "transform",
      schedule: "all",
      fold: record<Listed>({ messages: last() }),
      feeds: { messages: "draft" },
      read: loose<Listed>({ messages: isMessages }),
      ...limit,
      view: contextView,
    }),
    told(limit, "auto_compaction_start", "compact.auto-start", ({ trigger }) => ({ reason: trigger, action: ACTION })),
    told(limit, "auto_compaction_end", "compact.auto-end", ({ result, aborted, willRetry, errorMessage }) => ({
      result,
      aborted,
      willRetry,
      ...(errorMessage !== undefined && { errorMessage }),
      action: ACTION,
    })),
    told(limit, "auto_retry_start", "retry.start", (payload) =>
      present(payload, "attempt", "maxAttempts", "delayMs", "errorMessage"),
    ),
    told(limit, "auto_retry_end", "retry.end", (payload) => present(payload, "success", "attempt", "finalError")),
    told(limit, "ttsr_triggered", "rule.triggered", ({ rules }) => ({ rules })),
    told(limit, "todo_reminder", "todo.reminder", ({ todos, attempt, maxAttempts }) => ({
      todos,
      attempt,
      maxAttempts,
    })),
  ];
}
