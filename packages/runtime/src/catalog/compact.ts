import * as v from "valibot";
import { collect, concat, first } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const kind = () => v.picklist(["full", "rolling", "micro"]);
const reason = () => v.picklist(["manual", "threshold", "overflow"]);

/** The events of a compaction, which makes a context smaller. */
export const compactRows = {
  "compact.before": define("compact.before", {
    fires: "Before a compaction, which makes the context smaller: full, rolling or micro.",
    kind: "gate",
    subject: "kind",
    payload: () => ({
      kind: kind(),
      trigger: reason(),
      messages: s.messages(),
      systemPrompt: s.text(),
      preparation: v.optional(s.handle<object>("compaction preparation")),
      branchEntries: v.optional(s.entries()),
      customInstructions: v.optional(s.text()),
      willRetry: v.optional(s.flag()),
      signal: v.optional(s.signal()),
      messageCount: s.count(),
      nonSystemCount: s.count(),
      summary: s.text(),
    }),
    answer: () => ({
      cancel: v.optional(v.boolean()),
      /** `this` skips this compaction; `all` also skips those that would follow it. */
      skip: v.optional(v.picklist(["this", "all"])),
      compaction: v.optional(v.looseObject({ summary: v.string() })),
      instructions: v.optional(s.texts()),
    }),
    ends: on("cancel", "skip"),
    folds: { instructions: concat() },
  }),
  "compact.prompt": define("compact.prompt", {
    fires: "Before a model writes the summary of a full compaction; not if a hook has supplied the summary.",
    kind: "transform",
    payload: () => ({ sessionId: s.text(), messages: s.messages() }),
    answer: () => ({
      context: v.optional(s.texts()),
      prompt: v.optional(s.text()),
      preserveData: v.optional(s.args()),
    }),
  }),
  "compact.after": define("compact.after", {
    fires: "When a compaction has made the context smaller.",
    kind: "transform",
    subject: "kind",
    payload: () => ({
      kind: kind(),
      trigger: reason(),
      messages: s.messages(),
      compactionEntry: v.optional(s.entry()),
      fromExtension: s.flag(),
      willRetry: v.optional(s.flag()),
      messageCount: s.count(),
      messagesArchived: s.count(),
      summary: s.text(),
    }),
    answer: () => ({
      messages: v.optional(s.messages()),
      /** A text that is added to the next request, for the model only. */
      additionalContext: v.optional(v.string()),
      halt: v.optional(s.halt()),
    }),
    folds: { additionalContext: collect(), halt: first() },
    feeds: { messages: "chain" },
  }),
  "compact.failed": define("compact.failed", {
    fires: "When a full or rolling compaction has failed or was cancelled.",
    kind: "observe",
    payload: () => ({
      trigger: reason(),
      errorMessage: v.optional(s.text()),
      aborted: s.flag(),
      willRetry: s.flag(),
      fromExtension: s.flag(),
    }),
    answer: () => ({}),
  }),
  "compact.auto-start": define("compact.auto-start", {
    fires: "When a compaction begins that nobody asked for, because the context is too large.",
    kind: "observe",
    payload: () => ({ trigger: v.picklist(["threshold", "overflow"]) }),
    answer: () => ({}),
  }),
  "compact.auto-end": define("compact.auto-end", {
    fires: "When a compaction that nobody asked for is over; once for each compact.auto-start.",
    kind: "observe",
    payload: () => ({
      result: v.optional(s.handle<object>("compaction")),
      aborted: s.flag(),
      willRetry: s.flag(),
      errorMessage: v.optional(s.text()),
    }),
    answer: () => ({}),
  }),
};
