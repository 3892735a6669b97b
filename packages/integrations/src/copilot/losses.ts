import type { HostTable } from "@hookline/bridge/kit";

const TEXT = "arrives as text; images and details are lost";
const RUN = "Copilot CLI cannot end a run; this call and all further ones are refused until the next prompt";
const MESSAGES = "Copilot CLI shows hooks no messages";
const EXCHANGE = `holds the prompt and the last reply: ${MESSAGES}`;
const EMPTY = "is empty: Copilot CLI does not report it";
const LOG = "is read from Copilot CLI's own log of the session, and is empty if that cannot be read";
const ID = "Copilot CLI gives calls no id: equal calls have the same one";
const GOES = "Copilot CLI only reports a compaction, and takes no answer";
const SPAWNS = "Copilot CLI chooses the model of a sub-agent";

/**
 * Lists hookline's events and fields that Copilot CLI lacks or supports only in part. Source: spec/hosts/copilot,
 * spec/bridge.md 2 and 3, and Copilot CLI's documentation for what was not recorded.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        title: "Copilot CLI's sessions take no name from a hook",
        firstMessage: "Copilot CLI takes its prompts from the person",
        halt: "Copilot CLI's session continues",
      },
    },
    input: {
      loses: {
        images: "Copilot CLI takes no images from a hook",
        handled: "Copilot CLI says that the prompt was blocked, and in print mode ends with 1",
      },
    },
    "prompt.before": {
      loses: {
        feedback: "is shown to the person as the reason for the refusal",
        title: "Copilot CLI's sessions take no name from a hook",
      },
    },
    "prompt.build": { untold: { base: "is empty: Copilot CLI does not show its system prompt" } },
    "agent.before-start": {
      untold: { systemPrompt: EMPTY, promptParts: "Copilot CLI does not show its system prompt" },
      loses: {
        systemPrompt: "what it adds arrives as context, and Copilot CLI's own stays",
        activeTools: "Copilot CLI's tools cannot be chosen by hooks",
      },
    },
    "tool.before": {
      untold: { toolCallId: ID },
      loses: {
        "decision:ask": "Copilot CLI asks you; if nobody can be asked, or a hook rewrote the call, it is refused",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: {
        details: "is empty: the result is text",
        durationMs: "Copilot CLI does not report how long a tool ran",
        isError: "a shell command that fails counts as a success",
      },
      loses: { content: TEXT, details: TEXT, halt: RUN },
      always: { blocked: { value: false, why: "Copilot CLI reports only the results of calls that ran" } },
    },
    "agent.spawn": {
      untold: { model: EMPTY, tools: EMPTY },
      loses: { model: SPAWNS, note: SPAWNS },
    },
    "agent.spawned": { untold: { prompt: EMPTY, model: EMPTY, tools: EMPTY } },
    "agent.done": {
      untold: { prompt: EMPTY, reply: EMPTY, messages: `is empty: ${MESSAGES}` },
      loses: { feedback: "at most 5 for each sub-agent" },
    },
    "agent.stop": {
      untold: { messages: EXCHANGE, reply: LOG },
      loses: { additionalContext: "is sent with the feedback, and is lost without one" },
    },
    "agent.before-settle": {
      untold: { context: "Copilot CLI does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent; Copilot CLI keeps no entries of hooks" },
    },
    "reply.final": { untold: { reply: LOG } },
    "agent.end": { untold: { messages: EXCHANGE } },
    "compact.before": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        systemPrompt: EMPTY,
        messageCount: "is 0: Copilot CLI does not report it",
        nonSystemCount: "is 0: Copilot CLI does not report it",
      },
      loses: { cancel: GOES, skip: GOES, compaction: GOES, instructions: GOES },
    },
    "approval.requested": {
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        args: "Copilot CLI accepts no changed arguments here",
        halt: RUN,
      },
    },
  },
  absent: {
    "model.*": "Copilot CLI shows hooks no messages and no requests",
    "message.*": MESSAGES,
    "tools.*": "Copilot CLI does not let hooks choose its tools",
    "turn.*": "Copilot CLI does not report single turns",
    "mcp.*": "Copilot CLI does not report its MCP servers; calls of their tools are tool calls",
    "compact.after": "Copilot CLI does not report when a compaction is done",
    notify: "the bridge does not carry Copilot CLI's notifications",
    "shell.user": "Copilot CLI does not report commands that the person runs",
    "python.user": "Copilot CLI does not report commands that the person runs",
  },
};
