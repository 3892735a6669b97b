import * as v from "valibot";
import { collect, first } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const change = () => v.picklist(["new", "resume", "fork"]);

const cleared = () => ({ context: s.text(), messageCount: s.count(), summary: s.text() });

/** The events of a session: start, end, and every way to another session. */
export const sessionRows = {
  "session.start": define("session.start", {
    fires: "When a session is ready: at start, after a reload, and after a switch or fork, with the reason.",
    kind: "gate",
    schedule: "all",
    agents: "main",
    payload: () => ({
      reason: v.picklist(["startup", "reload", "new", "resume", "fork"]),
      previousSessionFile: v.optional(s.text()),
    }),
    answer: () => ({
      /** A text that is added before the first prompt, for the model only. */
      additionalContext: v.optional(v.string()),
      /** The new name of the session. */
      title: v.optional(v.string()),
      /** A text that is sent as the first prompt if the person gave none. */
      firstMessage: v.optional(v.string()),
      /** Refuses the session: a new one does not begin, and after a switch or fork the previous session stays open. */
      halt: v.optional(s.halt()),
    }),
    folds: { additionalContext: collect(), halt: first() },
    withhold: (_, reason) => ({ halt: { reason } }),
  }),
  "session.end": define("session.end", {
    fires: "When a session is left: at exit, and before a reload, switch or fork, with the reason.",
    kind: "shutdown",
    agents: "main",
    payload: () => ({
      reason: v.picklist(["quit", "reload", "new", "resume", "fork"]),
      targetSessionFile: v.optional(s.text()),
    }),
    answer: () => ({}),
    recorded: { settles: true },
  }),
  "session.before-switch": define("session.before-switch", {
    fires: "Before another session replaces the current one: a new one, one that is resumed, or a copy.",
    kind: "gate",
    agents: "main",
    payload: () => ({ reason: change(), targetSessionFile: v.optional(s.text()) }),
    answer: () => ({ cancel: v.optional(v.boolean()) }),
    ends: on("cancel"),
  }),
  "session.switch": define("session.switch", {
    fires: "When another session has replaced the current one: a new one, one that was resumed, or a copy.",
    kind: "observe",
    agents: "main",
    payload: () => ({ reason: change(), previousSessionFile: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  "session.before-branch": define("session.before-branch", {
    fires: "Before a session is forked, which copies its entries up to one of them into a new session.",
    kind: "gate",
    agents: "main",
    payload: () => ({ entryId: s.text(), position: v.optional(v.picklist(["before", "at"])) }),
    answer: () => ({ cancel: v.optional(v.boolean()), skipConversationRestore: v.optional(v.boolean()) }),
    ends: on("cancel"),
  }),
  "session.branch": define("session.branch", {
    fires: "When a session has been forked, which copies its entries up to one of them into a new session.",
    kind: "observe",
    agents: "main",
    payload: () => ({ previousSessionFile: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  "session.before-tree": define("session.before-tree", {
    fires:
      "Before the session moves to another of its entries, such as back to an earlier prompt; the entries form a tree.",
    kind: "gate",
    agents: "main",
    payload: () => ({ preparation: s.handle<object>("tree preparation"), signal: s.signal() }),
    answer: () => ({
      cancel: v.optional(v.boolean()),
      summary: v.optional(v.looseObject({ summary: v.string() })),
      customInstructions: v.optional(v.string()),
      replaceInstructions: v.optional(v.boolean()),
      label: v.optional(v.string()),
    }),
    ends: on("cancel"),
  }),
  "session.tree": define("session.tree", {
    fires:
      "When the session has moved to another of its entries, such as back to an earlier prompt; the entries form a tree.",
    kind: "observe",
    agents: "main",
    payload: () => ({
      newLeafId: v.nullable(s.text()),
      oldLeafId: v.nullable(s.text()),
      summaryEntry: v.optional(s.entry()),
      fromExtension: v.optional(s.flag()),
    }),
    answer: () => ({}),
  }),
  "session.info": define("session.info", {
    fires: "When the session's name changes.",
    kind: "observe",
    agents: "main",
    payload: () => ({ name: v.optional(s.text()) }),
    answer: () => ({}),
  }),
  "project.trust": define("project.trust", {
    fires:
      "When hookline starts in a project that has hooks, before the person is asked about those that are not approved.",
    kind: "gate",
    agents: "main",
    payload: () => ({ cwd: s.text() }),
    answer: () => ({ trusted: v.optional(v.picklist(["yes", "no"])), remember: v.optional(v.boolean()) }),
    ends: on("trusted"),
  }),
  "context.switch": define("context.switch", {
    fires: "When another named context has become current; a named context is a session with a name, as in chibi.",
    kind: "observe",
    agents: "main",
    payload: () => ({ from: s.text(), to: s.text(), transient: s.flag() }),
    answer: () => ({}),
  }),
  "context.before-clear": define("context.before-clear", {
    fires: "Before `/clear` empties the context.",
    kind: "observe",
    agents: "main",
    payload: cleared,
    answer: () => ({}),
  }),
  "context.clear": define("context.clear", {
    fires: "When `/clear` has emptied the context.",
    kind: "observe",
    agents: "main",
    payload: cleared,
    answer: () => ({}),
  }),
  "instructions.loaded": define("instructions.loaded", {
    fires: "When a file of instructions, such as AGENTS.md, or a rule has been read for the model.",
    kind: "observe",
    agents: "main",
    payload: () => ({
      path: s.text(),
      tier: v.picklist(["user", "project"]),
      reason: v.picklist(["session_start", "nested", "rule"]),
      /** The patterns of an instruction rule that applies to certain files only. */
      globs: v.optional(s.texts()),
    }),
    answer: () => ({}),
  }),
};
