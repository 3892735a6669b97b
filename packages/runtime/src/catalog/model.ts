import * as v from "valibot";
import { collect, concat, meet, strictest, union } from "../fold/index.ts";
import { isAnswer } from "./agent.ts";
import { define, on } from "./define.ts";
import type { Message } from "./message.ts";
import * as s from "./shape.ts";

/** The events of one model request, from the choice of tools to the reply. */
export const modelRows = {
  "prompt.build": define("prompt.build", {
    fires: "When the system prompt is made, once for each prompt.",
    kind: "transform",
    agents: "main",
    payload: () => ({ base: s.text() }),
    answer: () => ({ before: v.optional(s.texts()), after: v.optional(s.texts()) }),
    folds: { before: concat(), after: concat() },
  }),
  "tools.select": define("tools.select", {
    fires: "Before every request of the agent's loop, to choose the tools that the model is offered.",
    kind: "transform",
    payload: () => ({ tools: s.tools() }),
    answer: () => ({ include: v.optional(s.texts()), exclude: v.optional(s.texts()) }),
    folds: { include: meet(), exclude: union() },
  }),
  "model.context": define("model.context", {
    fires:
      "Before every request of the agent's loop, with its messages and system prompt; changes hold for this request alone.",
    kind: "transform",
    schedule: "series",
    payload: () => ({ messages: s.messages(), systemPrompt: s.text(), model: v.optional(s.text()) }),
    answer: () => ({
      messages: v.optional(s.messages()),
      systemPrompt: v.optional(s.text()),
      inject: v.optional(s.messages()),
      additionalContext: v.optional(s.text()),
      stop: v.optional(v.literal(true)),
      feedback: v.optional(s.text()),
    }),
    ends: on("stop"),
    folds: { inject: concat(), additionalContext: collect() },
    feeds: { messages: "chain", systemPrompt: "chain" },
    withhold: () => ({ stop: true }),
  }),
  "model.request": define("model.request", {
    fires: "Before every request of the agent's loop, when it is complete but not yet in the provider's format.",
    kind: "transform",
    payload: () => ({ request: s.request() }),
    answer: () => ({ request: v.optional(s.request()), stop: v.optional(v.literal(true)) }),
    ends: on("stop"),
    feeds: { request: "chain" },
    withhold: () => ({ stop: true }),
  }),
  "model.wire": define("model.wire", {
    fires: "Just before a request is sent, with its body in the provider's format.",
    kind: "transform",
    payload: () => ({ body: s.anything() }),
    answer: () => ({ body: v.optional(s.anything()), stop: v.optional(v.literal(true)) }),
    ends: on("stop"),
    feeds: { body: "chain" },
    withhold: () => ({ stop: true }),
    recorded: { from: "all" },
  }),
  "model.headers": define("model.headers", {
    fires: "Just before a request is sent, with its HTTP headers.",
    kind: "transform",
    payload: () => ({ headers: v.record(v.string(), v.nullable(v.string())) }),
    answer: () => ({ headers: v.optional(v.record(v.string(), v.nullable(v.string()))) }),
    feeds: { headers: "chain" },
    recorded: { from: "all", names: ["headers"] },
  }),
  "model.responded": define("model.responded", {
    fires: "When the headers of a provider's response have arrived.",
    kind: "observe",
    payload: () => ({ status: s.count(), headers: v.record(v.string(), v.string()) }),
    answer: () => ({}),
    recorded: { names: ["headers"] },
  }),
  "model.response": define("model.response", {
    fires: "When a reply is complete, before its tool calls run.",
    kind: "redactor",
    schedule: "series",
    payload: () => ({
      text: s.text(),
      model: v.optional(s.text()),
      /** The calls that the reply asks for; hooks on this event cannot change them. */
      toolCalls: v.optional(s.toolCalls()),
      finishReason: v.optional(v.picklist(["stop", "length", "toolUse"])),
    }),
    answer: () => ({ text: v.optional(s.text()), stop: v.optional(v.literal(true)), feedback: v.optional(s.text()) }),
    ends: on("stop"),
    feeds: { text: "chain" },
    withhold: (_, because) => ({ text: because }),
    recorded: { before: { fields: ["text", "toolCalls"], events: ["message.end", "reply.before"], waits: true } },
  }),
  "reply.before": define("reply.before", {
    fires: "When a reply without tool calls is complete, before it is stored.",
    kind: "redactor",
    schedule: "series",
    payload: () => ({ text: s.text(), model: v.optional(s.text()) }),
    answer: () => ({
      text: v.optional(s.text()),
      /** Ends the run without a reply from the model. */
      stop: v.optional(v.literal(true)),
      /** The reason that the person is shown. */
      reason: v.optional(v.string()),
    }),
    ends: on("stop"),
    feeds: { text: "chain" },
    withhold: (_, because) => ({ text: because }),
    closed: true,
    recorded: {
      follows: ({ message, toolCalls }) =>
        message ? isAnswer(message as Message) : !(toolCalls as unknown[] | undefined)?.length,
    },
  }),
  "model.before-select": define("model.before-select", {
    fires: "Before a person or a hook changes the model; not when a session restores the one that it used last.",
    kind: "gate",
    agents: "main",
    schedule: "all",
    payload: () => ({
      model: s.model(),
      previousModel: v.optional(s.model()),
      source: v.picklist(["set", "cycle"]),
      contextTokens: v.optional(s.count()),
    }),
    answer: () => ({
      decision: v.optional(v.picklist(["allow", "ask", "deny"])),
      /** The reason that the person is shown. */
      reason: v.optional(v.string()),
    }),
    folds: { decision: strictest() },
  }),
  "model.select": define("model.select", {
    fires: "When another model has been chosen.",
    kind: "transform",
    agents: "main",
    schedule: "parallel",
    payload: () => ({
      model: s.model(),
      previousModel: v.optional(s.model()),
      source: v.picklist(["set", "cycle", "restore"]),
    }),
    /** A text that is added to the next request, for the model only. */
    answer: () => ({ additionalContext: v.optional(v.string()) }),
    folds: { additionalContext: collect() },
  }),
  "thinking.select": define("thinking.select", {
    fires: "When another thinking level has been chosen.",
    kind: "observe",
    agents: "main",
    payload: () => ({ level: s.text(), previousLevel: s.text() }),
    answer: () => ({}),
  }),
};
