import * as v from "valibot";
import { any, collect } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

/** A sub-agent's life: the request for one, its start, and the end of its work. */
export const spawnRows = {
  "agent.spawn": define("agent.spawn", {
    fires: "Before a sub-agent is started, as the agent that wants it.",
    kind: "gate",
    subject: "type",
    payload: () => ({
      /** The name of its definition. */
      type: s.text(),
      prompt: s.text(),
      description: v.optional(s.text()),
      /** The model that it would have. */
      model: s.text(),
      /** The tools that it would be offered. */
      tools: s.texts(),
      /** 1 for a sub-agent of the main agent. */
      depth: s.count(),
    }),
    answer: () => ({
      cancel: v.optional(v.boolean()),
      /** Given to the model as the call's error. */
      reason: v.optional(s.text()),
      /** Another model, or a list from which the first known one is taken. */
      model: v.optional(v.union([v.string(), s.texts()])),
      /** A line for the person about that model. */
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
      /** Added after its prompt, for its model. */
      additionalContext: v.optional(s.text()),
    }),
    folds: { additionalContext: collect() },
  }),
  "agent.done": define("agent.done", {
    fires: "When a sub-agent has answered without a tool call; every lane is asked.",
    kind: "control",
    payload: () => s.replied(),
    answer: () => ({
      /** The reply goes to the parent agent, whatever other hooks answer. */
      stop: v.optional(v.literal(true)),
      feedback: v.optional(s.text()),
    }),
    folds: { stop: any(), feedback: collect() },
  }),
};
