import * as v from "valibot";
import { any, collect, concat, first } from "../fold/index.ts";
import { define } from "./define.ts";
import type { AssistantMessage, Message, TextBlock, ToolCallBlock } from "./message.ts";
import type { PromptParts } from "./prompt.ts";
import * as s from "./shape.ts";

const drafts = () => v.array(v.looseObject({ type: v.string() }));
const nextRequest = () => s.handle<object>("what the next request would be made of");

/** The kinds of errors that a model provider returns. */
const errorKind = () =>
  v.picklist([
    "rate_limit",
    "authentication_failed",
    "billing_error",
    "invalid_request",
    "server_error",
    "max_output_tokens",
    "unknown",
  ]);

/** The answer of events at which a hook may add session entries and make the agent go on working. */
const goingOn = {
  answer: () => ({ entries: v.optional(drafts()), continue: v.optional(s.flag()) }),
  feeds: { entries: "chain", continue: "chain" },
} as const;

/** The agent's loop: runs, turns and messages. */
export const agentRows = {
  "agent.before-start": define("agent.before-start", {
    fires: "Before the agent's loop begins for a prompt, or for a message with which a hook starts a run.",
    kind: "transform",
    agents: "main",
    payload: () => ({
      /** The text of the prompt; empty if a hook's message starts the run instead. */
      prompt: s.text(),
      images: v.optional(s.images()),
      /** The hook's message with which the run begins, if it begins without a prompt. */
      message: v.optional(s.data<Message>("a message")),
      systemPrompt: s.text(),
      promptParts: v.optional(s.data<PromptParts>("what the system prompt is made of")),
    }),
    answer: () => ({
      messages: v.optional(s.messages()),
      systemPrompt: v.optional(s.text()),
      activeTools: v.optional(s.texts()),
    }),
    folds: { messages: concat() },
    feeds: { systemPrompt: "chain" },
    recorded: { before: { fields: ["prompt"], events: ["message.end"] } },
  }),
  "agent.start": define("agent.start", {
    fires: "When a run of the agent's loop begins; one prompt may need several runs, such as after a failed request.",
    kind: "observe",
    agents: "main",
    payload: () => ({}),
    answer: () => ({}),
  }),
  "agent.end": define("agent.end", {
    fires: "When a run of the agent's loop is over, with its new messages.",
    kind: "observe",
    agents: "main",
    payload: () => ({
      messages: s.messages(),
      aborted: v.optional(s.flag()),
      /** Whether the run has failed and will be retried. */
      willRetry: v.optional(s.flag()),
      /** The last request's error, if that request failed and is not retried. */
      error: v.optional(v.strictObject({ kind: errorKind(), message: v.string() })),
    }),
    answer: () => ({}),
  }),
  "agent.stop": define("agent.stop", {
    fires: "When the model has answered without a tool call and nothing is queued, so that the agent would stop.",
    kind: "control",
    agents: "main",
    payload: () => s.replied(),
    answer: () => ({
      stop: v.optional(v.literal(true)),
      feedback: v.optional(s.text()),
      additionalContext: v.optional(s.text()),
    }),
    folds: { stop: any(), feedback: collect(), additionalContext: collect() },
    recorded: { before: { fields: ["prompt"], events: ["message.end"] } },
  }),
  "agent.before-settle": define("agent.before-settle", {
    fires: "When a run is over and nothing is left to do, before the agent counts as idle; not if the run was aborted.",
    kind: "control",
    agents: "main",
    payload: () => ({
      entries: drafts(),
      continue: s.flag(),
      canContinue: s.flag(),
      outcome: v.picklist(["completed", "aborted", "error"]),
      context: v.optional(nextRequest()),
    }),
    ...goingOn,
  }),
  "agent.settled": define("agent.settled", {
    fires: "When the agent has become idle.",
    kind: "observe",
    agents: "main",
    payload: () => ({ aborted: s.flag() }),
    answer: () => ({}),
    recorded: { settles: true },
  }),
  "turn.start": define("turn.start", {
    fires: "Before each request to the model in a run.",
    kind: "observe",
    agents: "main",
    payload: () => ({ turnIndex: s.count(), timestamp: s.count() }),
    answer: () => ({}),
  }),
  "turn.end": define("turn.end", {
    fires: "When a turn is over: a reply of the model and the tool calls in it.",
    kind: "control",
    agents: "main",
    payload: () => ({
      turnIndex: s.count(),
      message: s.message(),
      toolResults: s.toolResults(),
      messageEntryId: v.optional(s.text()),
      toolResultEntryIds: v.optional(s.texts()),
      entries: v.optional(drafts()),
      continue: v.optional(s.flag()),
      context: v.optional(nextRequest()),
    }),
    ...goingOn,
    answer: () => ({ ...goingOn.answer(), halt: v.optional(s.halt()) }),
    folds: { halt: first() },
  }),
  "message.start": define("message.start", {
    fires: "When a message begins: of the user, the assistant, a tool or a hook.",
    kind: "observe",
    payload: () => ({ message: s.message() }),
    answer: () => ({}),
    recorded: { before: { fields: ["message"], events: ["model.response", "message.end", "reply.before"] } },
  }),
  "message.update": define("message.update", {
    fires: "For each piece of a streaming reply.",
    kind: "observe",
    payload: () => ({ message: s.message(), event: s.handle<object>("stream event") }),
    answer: () => ({}),
    recorded: {
      from: "all",
      before: { fields: ["message", "event"], events: ["model.response", "message.end", "reply.before"] },
    },
  }),
  "message.end": define("message.end", {
    fires: "When a message is complete, before it is stored.",
    kind: "transform",
    payload: () => ({ message: s.message() }),
    answer: () => ({ message: v.optional(s.message()) }),
    feeds: { message: "chain" },
    withhold: ({ message }, because) => ({ message: withheldMessage(message as Message, because) }),
    recorded: { before: { fields: ["message"], events: ["reply.before"], waits: true } },
  }),
  "reply.final": define("reply.final", {
    fires: "When the reply to a prompt is final.",
    kind: "observe",
    agents: "main",
    payload: () => ({ prompt: s.text(), finalPrompt: s.text(), reply: s.text() }),
    answer: () => ({}),
    recorded: { before: { fields: ["prompt", "finalPrompt"], events: ["input", "prompt.before", "message.end"] } },
  }),
  "retry.start": define("retry.start", {
    fires: "When a request has failed and will be sent again, before the wait for that.",
    kind: "observe",
    payload: () => ({ attempt: s.count(), maxAttempts: s.count(), delayMs: s.count(), errorMessage: s.text() }),
    answer: () => ({}),
  }),
  "retry.end": define("retry.end", {
    fires: "When retries of a request have succeeded, been given up or been aborted; once for each series of retries.",
    kind: "observe",
    payload: () => ({ success: s.flag(), attempt: s.count(), finalError: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  "rule.triggered": define("rule.triggered", {
    fires:
      "When the model's reply has matched a rule: a pattern is compared while the reply arrives, a question is asked about it afterwards.",
    kind: "observe",
    payload: () => ({ rules: v.array(v.looseObject({ name: v.string() })) }),
    answer: () => ({}),
  }),
  "todo.reminder": define("todo.reminder", {
    fires: "When the agent would stop with open items on its todo list, before the model is reminded of them.",
    kind: "observe",
    agents: "main",
    payload: () => ({
      todos: v.array(v.looseObject({ content: v.string() })),
      attempt: s.count(),
      maxAttempts: s.count(),
    }),
    answer: () => ({}),
  }),
};

/** Returns whether a message is a reply without tool calls. */
export function isAnswer(message: Message): message is AssistantMessage {
  return message.role === "assistant" && !message.content.some(({ type }) => type === "toolCall");
}

/**
 * Replaces all content of a message with one text. A reply keeps its tool calls, because each needs a result, and
 * guards judge the calls themselves.
 */
export function withheldMessage(message: Message, because: string): Message {
  const text: TextBlock = { type: "text", text: because };
  switch (message.role) {
    case "user":
      return { ...message, content: [text] };
    case "assistant": {
      const calls = message.content.filter((block): block is ToolCallBlock => block.type === "toolCall");
      return { ...message, content: [text, ...calls] };
    }
    case "toolResult":
    case "custom":
      return { ...message, content: [text], details: {} };
    case "bashExecution": {
      const { fullOutputPath: _, ...rest } = message;
      return { ...rest, command: "", output: because };
    }
    default:
      return { ...message, summary: because };
  }
}
