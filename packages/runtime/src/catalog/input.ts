import * as v from "valibot";
import { collect, concat, first } from "../fold/index.ts";
import { define, on } from "./define.ts";
import type { RecordRule } from "./row.ts";
import * as s from "./shape.ts";

const source = () => v.picklist(["interactive", "rpc", "extension"]);

/** Returns a recording rule for text that a person typed, which later hooks may redact before it enters the history. */
const typed = (...fields: string[]): RecordRule => ({
  before: { fields, events: ["prompt.before", "message.end"], waits: true },
});

/** The events from typed text to the prompt that is sent. */
export const inputRows = {
  input: define("input", {
    fires:
      "When a person, a client or an extension submits text; after commands of extensions, before built-in commands, skills and templates.",
    kind: "transform",
    agents: "main",
    schedule: "series",
    payload: () => ({
      text: s.text(),
      images: v.optional(s.images()),
      source: source(),
      streaming: v.optional(v.picklist(["steer", "followUp"])),
    }),
    answer: () => ({
      text: v.optional(v.string()),
      images: v.optional(s.images()),
      handled: v.optional(v.literal(true)),
      /** Whether the text is kept from being sent. */
      stop: v.optional(v.literal(true)),
    }),
    ends: on("handled", "stop"),
    feeds: { text: "chain", images: "chain" },
    withhold: () => ({ stop: true }),
    recorded: typed("text"),
  }),
  "prompt.expand": define("prompt.expand", {
    fires:
      "When a typed text calls a skill or a prompt template by its name, before the skill or template replaces it.",
    kind: "gate",
    agents: "main",
    subject: "name",
    payload: () => ({
      kind: v.picklist(["skill", "template", "mcp"]),
      /** The command's name without the slash. */
      name: s.text(),
      args: s.text(),
      /** The file that defines the command, or the name of its MCP server. */
      source: v.optional(s.text()),
      /** The prompt as the person typed it. */
      prompt: s.text(),
    }),
    answer: () => ({
      stop: v.optional(v.literal(true)),
      /** The reason that the person is shown if `stop` is set. */
      reason: v.optional(v.string()),
      additionalContext: v.optional(v.string()),
      halt: v.optional(s.halt()),
    }),
    ends: on("stop"),
    folds: { additionalContext: collect(), halt: first() },
    standIn: { for: "prompt", refuse: (reason) => ({ stop: true, reason }) },
    recorded: typed("args", "prompt"),
  }),
  "prompt.before": define("prompt.before", {
    fires:
      "Before a prompt, or a text that has waited for the running one, enters the conversation; skills and templates are in it already.",
    kind: "transform",
    agents: "main",
    schedule: "series",
    payload: () => ({ text: s.text(), images: v.optional(s.images()) }),
    answer: () => ({
      text: v.optional(v.string()),
      stop: v.optional(v.literal(true)),
      /** The reason that the person is shown if `stop` is set. */
      reason: v.optional(v.string()),
      feedback: v.optional(v.string()),
      /** A text that is added after the prompt, for the model only. */
      additionalContext: v.optional(v.string()),
      /** The new name of the session. */
      title: v.optional(v.string()),
      halt: v.optional(s.halt()),
    }),
    ends: on("stop"),
    folds: { additionalContext: collect(), halt: first() },
    feeds: { text: "chain" },
    withhold: () => ({ stop: true }),
    recorded: { before: { fields: ["text"], events: ["message.end"], waits: true } },
    standIn: { for: "prompt", refuse: (reason) => ({ stop: true, reason }) },
  }),
  "input.sent": define("input.sent", {
    fires: "When a prompt, a text that has waited, or feedback of a hook is accepted into the conversation.",
    kind: "observe",
    agents: "main",
    payload: () => ({ text: s.text() }),
    answer: () => ({}),
    recorded: { before: { fields: ["text"], events: ["message.end"] } },
  }),
  "shell.user": define("shell.user", {
    fires: "When a person runs a shell command with `!` or `!!`.",
    kind: "gate",
    payload: () => ({ command: s.text(), excludeFromContext: s.flag(), cwd: s.text() }),
    answer: () => ({
      operations: v.optional(s.handle<object>("shell operations")),
      result: v.optional(s.handle<object>("shell result")),
      cancel: v.optional(v.string()),
    }),
    ends: on("operations", "result", "cancel"),
    standIn: { for: "guard", refuse: (cancel) => ({ cancel }) },
  }),
  "python.user": define("python.user", {
    fires: "When a person runs Python code with `$ ` or `$$ `.",
    kind: "gate",
    agents: "main",
    payload: () => ({ code: s.text(), excludeFromContext: s.flag(), cwd: s.text() }),
    answer: () => ({ result: v.optional(s.handle<object>("python result")), cancel: v.optional(v.string()) }),
    ends: on("result", "cancel"),
    standIn: { for: "guard", refuse: (cancel) => ({ cancel }) },
  }),
  "resources.discover": define("resources.discover", {
    fires: "At start and after a reload, to add skills, prompt templates and themes.",
    kind: "transform",
    agents: "main",
    payload: () => ({ cwd: s.text(), reason: v.picklist(["startup", "reload"]) }),
    answer: () => ({
      skillPaths: v.optional(s.texts()),
      promptPaths: v.optional(s.texts()),
      themePaths: v.optional(s.texts()),
    }),
    folds: { skillPaths: concat(), promptPaths: concat(), themePaths: concat() },
  }),
};
