import type { HostTable } from "@hookline/bridge/kit";

const PROMPT = "Cursor cannot change a prompt";
const LATER = "arrives with the next result of a tool, and is lost without one";
const RESULT = "Cursor changes the results of MCP tools only: all others stay as they are";
const RUN = "this call and all further ones are refused until the next prompt";
const MESSAGES = "Cursor shows hooks no messages";
const EXCHANGE = `holds the prompt and the last reply: ${MESSAGES}`;
const EMPTY = "is empty: Cursor does not report it";
const SPAWNS = "Cursor chooses the prompt and model of a sub-agent";
const GOES = "Cursor only reports a compaction, and takes no answer";
const SEEN = "Cursor only reports a reply";
const FEEDBACK = "at most 5: Cursor takes no more";

/**
 * Lists hookline's events and fields that Cursor lacks or supports only in part. Source: Cursor's documentation,
 * spec/bridge.md 2 and 3. Nothing of it was tried with Cursor.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      untold: { reason: "is always `startup`: Cursor gives no reason" },
      loses: {
        title: "Cursor's sessions take no name from a hook",
        firstMessage: "Cursor takes its prompts from the person",
        halt: "Cursor's session continues",
      },
    },
    input: { loses: { text: PROMPT, images: PROMPT, handled: "Cursor says that the prompt was blocked" } },
    "prompt.before": {
      loses: {
        text: PROMPT,
        additionalContext: LATER,
        feedback: "is shown to the person as the reason for the refusal",
        title: "Cursor's sessions take no name from a hook",
      },
    },
    "prompt.build": {
      untold: { base: "is empty: Cursor does not show its system prompt" },
      loses: { before: LATER, after: LATER },
    },
    "agent.before-start": {
      untold: { systemPrompt: EMPTY, promptParts: "Cursor does not show its system prompt" },
      loses: { messages: LATER, systemPrompt: LATER, activeTools: "Cursor's tools cannot be chosen by hooks" },
    },
    "model.response": { loses: { text: SEEN, stop: SEEN, feedback: SEEN } },
    "tool.before": {
      untold: { args: "may have Cursor's own names, since it documents those of shell commands alone" },
      loses: {
        "decision:ask": "becomes a refusal: Cursor cannot ask anybody here",
        additionalContext: LATER,
        remark: LATER,
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: { details: "is empty: the result is reported as text" },
      loses: {
        content: RESULT,
        details: RESULT,
        isError: "Cursor keeps whether a call has failed",
        additionalContext: "is lost for a call that has failed",
        remark: "is lost for a call that has failed",
        halt: RUN,
      },
      always: { blocked: { value: false, why: "Cursor reports only the results of calls that ran" } },
    },
    "agent.spawn": {
      untold: { tools: EMPTY },
      loses: { prompt: SPAWNS, model: SPAWNS, note: SPAWNS },
    },
    "agent.spawned": { untold: { tools: EMPTY }, loses: { additionalContext: "Cursor accepts none for a sub-agent" } },
    "agent.done": {
      untold: { prompt: EMPTY, messages: `is empty: ${MESSAGES}` },
      loses: { feedback: FEEDBACK },
    },
    "agent.stop": {
      untold: { messages: EXCHANGE },
      loses: { feedback: FEEDBACK, additionalContext: "is sent with the feedback, and is lost without one" },
    },
    "agent.before-settle": {
      untold: { context: "Cursor does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent; Cursor keeps no entries of hooks" },
    },
    "agent.end": { untold: { messages: EXCHANGE } },
    "compact.before": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        systemPrompt: EMPTY,
        nonSystemCount: "is 0: Cursor does not report it",
        customInstructions: EMPTY,
      },
      loses: { cancel: GOES, skip: GOES, compaction: GOES, instructions: GOES },
    },
  },
  absent: {
    "model.*": "Cursor shows hooks no messages and no requests",
    "message.*": MESSAGES,
    "tools.*": "Cursor does not let hooks choose its tools",
    "turn.*": "Cursor does not report single turns",
    "mcp.*": "Cursor does not report its MCP servers; calls of their tools are tool calls",
    "compact.after": "Cursor does not report when a compaction is done",
    "approval.*": "Cursor does not report approvals to hooks",
    "shell.user": "Cursor does not report commands that the person runs",
    "python.user": "Cursor does not report commands that the person runs",
  },
};
