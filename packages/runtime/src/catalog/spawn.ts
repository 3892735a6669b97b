import * as v from "valibot";
import { any, collect } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

/** The events of a sub-agent: the request for one, its start, and the end of its work. */
export const spawnRows = {
  "agent.spawn": define("agent.spawn", {
    fires: "Before an agent starts a sub-agent; it is an event of the agent that starts it.",
    kind: "gate",
    subject: "type",
    payload: () => ({
      /** The name of the sub-agent's definition. */
      type: s.text(),
      prompt: s.text(),
      description: v.optional(s.text()),
      /** The model that the sub-agent would use. */
      model: s.text(),
      /** The tools that would be offered to the sub-agent. */
      tools: s.texts(),
      /** The nesting depth: 1 for a sub-agent of the main agent. */
      depth: s.count(),
    }),
    answer: () => ({
      cancel: v.optional(v.boolean()),
      /** The reason that the model receives as the call's error. */
      reason: v.optional(s.text()),
      /** Another model, or a list of models of which the first known one is used. */
      model: v.optional(v.union([v.string(), s.texts()])),
      /** A line for the person about the changed model. */
      note: v.optional(s.text()),
      prompt: v.optional(s.text()),
    }),
    ends: on("cancel"),
    feeds: { prompt: "chain" },
    standIn: { for: "guard", refuse: (reason) => ({ cancel: true, reason }) },
  }),
  "agent.spawned": define("agent.spawned", {
    fires: "When a sub-agent has been started, before its first request.",
    kind: "transform",
    payload: () => ({ prompt: s.text(), model: s.text(), tools: s.texts() }),
    answer: () => ({
      /** A text that is added after the sub-agent's prompt, for its model only. */
      additionalContext: v.optional(s.text()),
    }),
    folds: { additionalContext: collect() },
  }),
  "agent.done": define("agent.done", {
    fires: "When a sub-agent has answered without a tool call, so that it would stop.",
    kind: "control",
    payload: () => s.replied(),
    answer: () => ({
      /** Passes the reply to the parent agent, even if other hooks want to send the sub-agent back. */
      stop: v.optional(v.literal(true)),
      feedback: v.optional(s.text()),
    }),
    folds: { stop: any(), feedback: collect() },
  }),
};
