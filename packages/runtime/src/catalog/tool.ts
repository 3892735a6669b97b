import * as v from "valibot";
import { collect, first, strictest } from "../fold/index.ts";
import { define } from "./define.ts";
import type { RecordRule } from "./row.ts";
import * as s from "./shape.ts";

const call = () => ({
  /** The model's id for this call. */
  toolCallId: v.string(),
  /** The id of the tool call that made this one. */
  parentToolCallId: v.optional(v.string()),
  tool: v.string(),
  /** Further names by which another agent knows the tool, if the call comes through the bridge. */
  aliases: v.optional(s.texts()),
});

/** Returns a recording rule for a tool result's text, which hooks may still redact when its message is complete. */
const resultText = (...fields: string[]): RecordRule => ({ before: { fields, events: ["message.end"], waits: true } });

/** The events of one tool call, from the model's request to the recorded result. */
export const toolRows = {
  "tool.before": define("tool.before", {
    fires:
      "Before a tool call runs, one call at a time in the order of the reply; not for a call that cannot run, such as one with invalid arguments.",
    kind: "guard",
    subject: "tool",
    payload: () => ({ ...call(), args: s.args() }),
    answer: () => ({
      decision: v.optional(v.picklist(["allow", "ask", "deny"])),
      /** The reason that the model receives as the call's error. */
      reason: v.optional(v.string()),
      args: v.optional(s.args()),
      additionalContext: v.optional(v.string()),
      /** With `refuse`, the calls of the same reply that have not started are refused too. */
      rest: v.optional(v.literal("refuse")),
      terminate: v.optional(v.boolean()),
      /** A text that is put beside this call's result, for the model. */
      remark: v.optional(v.string()),
      halt: v.optional(s.halt()),
    }),
    folds: { decision: strictest(), additionalContext: collect(), remark: collect(), halt: first() },
    ends: { name: "deny", by: (answer) => answer["decision"] === "deny" },
    feeds: { args: "chain" },
    guard: {
      judges: "args",
      refuse: (reason) => ({ decision: "deny", reason }),
      // A hook that ends the whole run also keeps the call from running.
      refused: (answer) => answer["decision"] === "deny" || answer["halt"] !== undefined,
    },
    attribute: { field: "decision", value: "ask" },
    standIn: { for: "guard", refuse: (reason) => ({ decision: "deny", reason }) },
  }),
  "tool.start": define("tool.start", {
    fires: "When hookline begins with a tool call, before guards judge it.",
    kind: "observe",
    subject: "tool",
    payload: () => ({ ...call(), args: s.anything() }),
    answer: () => ({}),
  }),
  "tool.update": define("tool.update", {
    fires: "When a running tool reports a partial result.",
    kind: "observe",
    subject: "tool",
    payload: () => ({ ...call(), args: s.anything(), partial: s.anything() }),
    answer: () => ({}),
    recorded: { from: "all", before: { fields: ["partial"], events: ["tool.after", "message.end"] } },
  }),
  "tool.after": define("tool.after", {
    fires: "When a tool has run or was refused, before the model sees its result.",
    kind: "redactor",
    subject: "tool",
    payload: () => ({
      ...call(),
      args: s.args(),
      content: s.content(),
      details: s.anything(),
      isError: s.flag(),
      blocked: s.flag(),
      /** The tool's run time in milliseconds. */
      durationMs: v.optional(s.count()),
    }),
    answer: () => ({
      content: v.optional(s.content()),
      details: v.optional(s.anything()),
      isError: v.optional(s.flag()),
      additionalContext: v.optional(v.string()),
      /** A text that is put beside this result, for the model. */
      remark: v.optional(v.string()),
      halt: v.optional(s.halt()),
    }),
    folds: { additionalContext: collect(), remark: collect(), halt: first() },
    feeds: { content: "chain", details: "chain", isError: "chain" },
    withhold: (_, because) => ({ content: [{ type: "text", text: because }], details: {} }),
    recorded: { ...resultText("content", "details"), copies: { content: ["details"] } },
  }),
  "tool.cache-before": define("tool.cache-before", {
    fires: "Before a large tool output is put into the cache, so that the model sees only a part of it.",
    kind: "transform",
    subject: "tool",
    payload: () => ({ ...call(), args: s.args(), content: s.text(), charCount: s.count(), lineCount: s.count() }),
    answer: () => ({ summary: v.optional(v.string()), keep: v.optional(v.literal(false)) }),
    recorded: resultText("content"),
  }),
  "tool.cached": define("tool.cached", {
    fires: "When a tool output has been put into the cache.",
    kind: "observe",
    subject: "tool",
    payload: () => ({
      ...call(),
      cacheId: s.text(),
      charCount: s.count(),
      tokenEstimate: s.count(),
      lineCount: s.count(),
    }),
    answer: () => ({}),
  }),
  "tool.output": define("tool.output", {
    fires: "When it is decided what the model will see of a tool's output.",
    kind: "observe",
    subject: "tool",
    payload: () => ({ ...call(), args: s.args(), output: s.text(), finalOutput: s.text(), cached: s.flag() }),
    answer: () => ({}),
    recorded: resultText("output", "finalOutput"),
  }),
  "tool.end": define("tool.end", {
    fires: "When a tool call has its result, whether it ran, failed, was refused or could not run.",
    kind: "observe",
    subject: "tool",
    payload: () => ({
      ...call(),
      args: s.anything(),
      result: s.anything(),
      isError: s.flag(),
      durationMs: v.optional(s.count()),
    }),
    answer: () => ({}),
    recorded: resultText("result"),
  }),
  "tool.done": define("tool.done", {
    fires: "When a tool call's result is final, right after tool.end; not for a call that could not run.",
    kind: "observe",
    subject: "tool",
    payload: () => ({ ...call(), args: s.args(), result: s.text(), cached: s.flag() }),
    answer: () => ({}),
    recorded: resultText("result"),
  }),
};
