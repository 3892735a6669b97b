import { didYouMean, nearest } from "@hookline/ground";

/** A field of the JSON that a hook reads from stdin, besides `event`, `cwd` and `session_id`, which every event has. */
export type ContextField =
  | "messages"
  | "system_prompt"
  | "model"
  | "user_input"
  | "assistant_output"
  | "tool_name"
  | "tool_arguments"
  | "tool_result"
  | "tool_error"
  | "retry_count";

/** A field of the JSON that a hook may print. */
export type ResultField = (typeof RESULT_FIELDS)[number];

/** Every field of an answer, as the seed lists them. Source: seed 003. */
export const RESULT_FIELDS = [
  "user_input",
  "assistant_output",
  "messages",
  "system_prompt",
  "tool_arguments",
  "tool_result",
  "tool_error",
  "inject_messages",
  "action",
  "retry_feedback",
  "additional_context",
  "system_message",
] as const;

/** The fields that a hook of one event reads and may write; `writes` is empty if its answer is ignored. */
export interface EventFields {
  readonly reads: readonly ContextField[];
  readonly writes: readonly ResultField[];
  /** `skip` skips the event's subject; elsewhere it only discards edits. */
  readonly skips?: true;
  /** `retry_feedback` counts without `action: stop` (decision 30). */
  readonly feedbackAlone?: true;
}

/** The events of j-cli with their fields. Source: seed 003, the tables of events; decisions 26, 29 and 31. */
export const EVENTS: Readonly<Record<string, EventFields>> = {
  session_start: { reads: ["messages"], writes: [] },
  session_end: { reads: ["messages"], writes: [] },
  pre_send_message: {
    reads: ["user_input", "messages"],
    writes: ["user_input", "action", "retry_feedback", "system_message"],
  },
  post_send_message: { reads: ["user_input", "messages"], writes: [] },
  pre_llm_request: {
    reads: ["messages", "system_prompt", "model"],
    writes: [
      "messages",
      "system_prompt",
      "inject_messages",
      "additional_context",
      "action",
      "retry_feedback",
      "system_message",
    ],
  },
  post_llm_response: {
    reads: ["assistant_output", "messages", "model"],
    writes: ["assistant_output", "action", "retry_feedback", "system_message"],
  },
  pre_tool_execution: {
    reads: ["tool_name", "tool_arguments"],
    writes: ["tool_arguments", "action", "retry_feedback", "system_message"],
    skips: true,
  },
  // The arguments are an addition that hooks in the wild read (decision 65).
  post_tool_execution: {
    reads: ["tool_name", "tool_arguments", "tool_result"],
    writes: ["tool_result", "system_message"],
  },
  post_tool_execution_failure: {
    reads: ["tool_name", "tool_error"],
    writes: ["tool_error", "additional_context", "system_message"],
  },
  stop: {
    reads: ["user_input", "assistant_output", "messages", "system_prompt", "model", "retry_count"],
    writes: ["retry_feedback", "additional_context", "action", "system_message"],
    feedbackAlone: true,
  },
  pre_micro_compact: { reads: ["messages", "model"], writes: ["action", "system_message"] },
  post_micro_compact: { reads: ["messages"], writes: ["messages", "system_message"] },
  pre_auto_compact: {
    reads: ["messages", "system_prompt", "model"],
    writes: ["additional_context", "action", "system_message"],
  },
  post_auto_compact: { reads: ["messages"], writes: ["messages", "system_message"] },
};

/** Returns an event's fields; `undefined` if j-cli has no such event. */
export function fieldsOf(event: string): EventFields | undefined {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
}

/** Whether the answers of this event's hooks are read at all. */
export function isAnswered(event: string): boolean {
  return (fieldsOf(event)?.writes.length ?? 0) > 0;
}

/** "Did you mean" for the nearest event: one that begins with the word, or differs by few typing mistakes. */
export function guessEvent(word: string): string {
  const names = Object.keys(EVENTS);
  const longer = names.find((name) => word !== "" && name.startsWith(word.toLowerCase()));
  return didYouMean(longer ?? nearest(word, names));
}
