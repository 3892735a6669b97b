import { didYouMean, nearest } from "@hookline/ground";

/** A field of the event's JSON on a hook's stdin, besides `event`, `cwd` and `session_id`, which every event has. */
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

/** A field of the JSON with which a hook answers. */
export type ResultField = (typeof RESULT_FIELDS)[number];

/** All fields of a hook's answer. Source: seed 003. */
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

/**
 * The fields that hooks of an event get (`reads`) and may answer with (`writes`). `writes` is empty if answers are
 * ignored.
 */
export interface EventFields {
  readonly reads: readonly ContextField[];
  readonly writes: readonly ResultField[];
  /** Whether `skip` skips the tool call of the event. On other events it only discards edits. */
  readonly skips?: true;
  /** Whether `retry_feedback` counts even without `action: stop` (ruling 30). */
  readonly feedbackAlone?: true;
}

/** The events of j-cli with their fields. Source: seed 003, the tables of events; rulings 26, 29 and 31. */
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
  // `tool_arguments` is an addition to j-cli's fields, since existing hooks read it (ruling 65).
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

/** Whether answers of this event's hooks have any effect. */
export function isAnswered(event: string): boolean {
  return (fieldsOf(event)?.writes.length ?? 0) > 0;
}

/** Returns a "Did you mean" sentence with the nearest event: one that begins with the word, or is spelled like it. */
export function guessEvent(word: string): string {
  const names = Object.keys(EVENTS);
  const longer = names.find((name) => word !== "" && name.startsWith(word.toLowerCase()));
  return didYouMean(longer ?? nearest(word, names));
}
