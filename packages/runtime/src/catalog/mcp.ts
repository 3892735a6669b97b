import * as v from "valibot";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const ACTIONS = ["accept", "decline", "cancel"] as const;

const question = () => ({
  server: s.text(),
  /** With `form` the agent shows the question; with `url` the server asks on a page of its own. */
  mode: v.picklist(["form", "url"]),
});

const reply = () => ({
  action: v.optional(v.picklist(ACTIONS)),
  /** The values of the form's fields if the action is `accept`. */
  content: v.optional(v.record(v.string(), s.anything())),
});

/** The events of MCP servers: their questions, notifications and states. */
export const mcpRows = {
  "mcp.elicit": define("mcp.elicit", {
    fires: "Before an MCP server's question (an elicitation) is put to the person, or declined if nobody can answer.",
    kind: "gate",
    subject: "server",
    payload: () => ({ ...question(), message: s.text(), schema: v.optional(s.anything()) }),
    answer: reply,
    ends: on("action"),
  }),
  "mcp.elicited": define("mcp.elicited", {
    fires: "When an MCP server's question (an elicitation) is answered, before the server gets the answer.",
    kind: "transform",
    subject: "server",
    payload: () => ({
      ...question(),
      message: s.text(),
      action: v.picklist(ACTIONS),
      content: v.optional(s.anything()),
    }),
    answer: reply,
  }),
  "mcp.notification": define("mcp.notification", {
    fires: "When an MCP server sends a notification, such as progress, a log line or a changed list.",
    kind: "observe",
    subject: "server",
    payload: () => ({ server: s.text(), method: s.text(), params: s.anything() }),
    answer: () => ({}),
  }),
  "mcp.change": define("mcp.change", {
    fires: "When an MCP server has started, failed, ended, or changed its tools or prompts.",
    kind: "observe",
    payload: () => ({
      servers: v.array(
        v.strictObject({
          name: s.text(),
          state: v.picklist(["starting", "ready", "failed", "unusable", "stopped"]),
          /** The names of the server's tools as the model uses them. */
          tools: s.texts(),
          problem: v.optional(s.text()),
        }),
      ),
    }),
    answer: () => ({}),
  }),
};
