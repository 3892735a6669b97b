import * as v from "valibot";
import { define } from "./define.ts";
import * as s from "./shape.ts";

const question = () => ({
  kind: v.picklist(["select", "confirm", "input", "editor", "custom"]),
  title: v.optional(s.text()),
});

/** What is asked of the person. */
export const uiRows = {
  "ui.prompt-start": define("ui.prompt-start", {
    fires: "When a hook begins to ask the person something.",
    kind: "observe",
    payload: question,
    answer: () => ({}),
  }),
  "ui.prompt-end": define("ui.prompt-end", {
    fires: "When the person has answered or the question is withdrawn.",
    kind: "observe",
    payload: question,
    answer: () => ({}),
  }),
  "approval.requested": define("approval.requested", {
    fires: "Before the person is asked to approve a tool call.",
    kind: "observe",
    payload: () => ({ toolCallId: s.text(), tool: s.text(), reason: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  "approval.resolved": define("approval.resolved", {
    fires: "When the approval of a tool call is decided, also where nobody could be asked.",
    kind: "observe",
    payload: () => ({ toolCallId: s.text(), tool: s.text(), approved: s.flag(), reason: v.optional(s.text()) }),
    answer: () => ({}),
  }),
};
