import * as v from "valibot";
import { first, strictest } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const question = () => ({
  kind: v.picklist(["select", "confirm", "input", "editor", "custom"]),
  title: v.optional(s.text()),
});

/** The events of questions that the person is asked. */
export const uiRows = {
  "ui.prompt-start": define("ui.prompt-start", {
    fires: "When a question to the person opens, from a hook or from hookline.",
    kind: "observe",
    payload: question,
    answer: () => ({}),
    recorded: { from: "all" },
  }),
  "ui.prompt-end": define("ui.prompt-end", {
    fires: "When the person has answered a question, or it is withdrawn.",
    kind: "observe",
    payload: question,
    answer: () => ({}),
    recorded: { from: "all" },
  }),
  "approval.requested": define("approval.requested", {
    fires: "Before the person is asked to approve a tool call; not where nobody can be asked.",
    kind: "gate",
    schedule: "all",
    subject: "tool",
    payload: () => ({
      toolCallId: s.text(),
      tool: s.text(),
      /** Further names by which another agent knows the tool, if the call comes through the bridge. */
      aliases: v.optional(s.texts()),
      reason: v.optional(s.text()),
      args: v.optional(s.args()),
      /** The authors of the question; absent if the agent itself asks, in which case no hook may answer `allow`. */
      askedBy: v.optional(v.array(v.strictObject({ lane: v.string(), tier: v.string() }))),
    }),
    answer: () => ({
      /** `allow` counts only if the hooks that asked share this hook's lane and its tier or a lower one (ruling 75). */
      decision: v.optional(v.picklist(["allow", "deny"])),
      /** The reason that the model receives if the decision is `deny`. */
      reason: v.optional(v.string()),
      args: v.optional(s.args()),
      halt: v.optional(s.halt()),
    }),
    folds: { decision: strictest(), halt: first() },
    attribute: { field: "decision", value: "allow" },
  }),
  "approval.resolved": define("approval.resolved", {
    fires: "When it is decided whether a tool call is approved, even if nobody could be asked.",
    kind: "observe",
    payload: () => ({ toolCallId: s.text(), tool: s.text(), approved: s.flag(), reason: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  notify: define("notify", {
    fires:
      "When the agent waits for the person: a question has been open for 6 s, or it has been idle for 60 s, and no key was pressed.",
    kind: "observe",
    subject: "type",
    payload: () => ({
      type: v.picklist(["permission_prompt", "idle_prompt"]),
      message: s.text(),
      title: v.optional(s.text()),
    }),
    answer: () => ({}),
  }),
  "config.change": define("config.change", {
    fires:
      "At a reload, for each file of hooks that has changed, appeared or disappeared, after the person has approved it if that is needed.",
    kind: "gate",
    agents: "main",
    subject: "source",
    payload: () => ({
      source: v.picklist(["user_settings", "project_settings", "local_settings", "policy_settings", "skills"]),
      path: v.optional(s.text()),
    }),
    answer: () => ({
      /** Reloads nothing, so that all hooks stay as they were. Has no effect if `source` is `policy_settings`. */
      cancel: v.optional(v.literal(true)),
      /** The reason that the person is shown if `cancel` is set. */
      reason: v.optional(v.string()),
    }),
    ends: on("cancel"),
  }),
};
