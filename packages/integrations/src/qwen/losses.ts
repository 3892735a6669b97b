import type { HostTable } from "@hookline/bridge/kit";

const PROMPT = "Qwen Code cannot change a prompt; what is put before or after it arrives as context";
const RESULT =
  "takes the place of the result as text and as an error; images and details are lost, and a failed call's result stays as it is";
const RUN = "this call and all further ones are refused until the next prompt";
const MESSAGES = "Qwen Code shows hooks no messages";
const EXCHANGE = `holds the prompt and the last reply: ${MESSAGES}`;
const TOOLS = "is empty: Qwen Code does not report a sub-agent's tools";
const ALL_THE_SAME = "Qwen Code compacts anyway";
const DONE = "Qwen Code takes no answer after a compaction";

/**
 * Lists hookline's events and fields that Qwen Code lacks or supports only in part. Source: spec/hosts/qwen,
 * spec/bridge.md 2 and 3, and the documentation in Qwen Code's package for what was not recorded.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        title: "Qwen Code's sessions take no name from a hook",
        firstMessage: "Qwen Code takes its prompts from the person",
        halt: "Qwen Code's session continues",
      },
    },
    "session.end": {
      untold: { reason: "Qwen Code does not report it in print mode: hooks get it half an hour later, as `quit`" },
    },
    input: { loses: { text: PROMPT, images: PROMPT, handled: "Qwen Code says that the prompt was blocked" } },
    "prompt.before": {
      loses: {
        text: PROMPT,
        feedback: "is shown to the person as the reason for the refusal",
        title: "Qwen Code's sessions take no name from a hook",
      },
    },
    "prompt.build": { untold: { base: "is empty: Qwen Code does not show its system prompt" } },
    "agent.before-start": {
      untold: { systemPrompt: "is empty: Qwen Code does not show it", promptParts: "Qwen Code does not show them" },
      loses: {
        systemPrompt: "what it adds arrives as context, and Qwen Code's own stays",
        activeTools: "Qwen Code's tools cannot be chosen by hooks",
      },
    },
    "tool.before": {
      loses: {
        "decision:ask": "Qwen Code asks you; if nobody can be asked, it refuses",
        args: "Qwen Code cannot change a call: it is refused, and the model is told the arguments to call it with",
        additionalContext: "arrives with the result",
        remark: "arrives with the result",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: { details: "is empty: the result is text" },
      loses: { content: RESULT, details: RESULT, isError: "a rewritten result is always an error", halt: RUN },
      always: { blocked: { value: false, why: "Qwen Code reports only the results of calls that ran" } },
    },
    "agent.spawn": {
      untold: { model: "is empty: Qwen Code does not report a sub-agent's model", tools: TOOLS },
      loses: {
        prompt: "Qwen Code cannot change a call: it is refused, and the model is told the prompt to call it with",
        model: "Qwen Code chooses the model of a sub-agent",
        note: "Qwen Code chooses the model of a sub-agent",
      },
    },
    "agent.spawned": {
      untold: {
        prompt: "is empty: Qwen Code does not report it",
        model: "is empty: Qwen Code does not report it",
        tools: TOOLS,
      },
    },
    "agent.done": {
      untold: { prompt: "is empty: Qwen Code does not report it", messages: `is empty: ${MESSAGES}` },
      loses: { feedback: "at most 5 for each sub-agent" },
    },
    "agent.stop": {
      untold: { messages: EXCHANGE },
      loses: {
        feedback: "at most 7 in a row: Qwen Code ends the turn at the eighth",
        additionalContext: "is sent with the feedback, and is lost without one",
      },
    },
    "agent.before-settle": {
      untold: { context: "Qwen Code does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent; Qwen Code keeps no entries of hooks" },
    },
    "agent.end": { untold: { messages: EXCHANGE } },
    "compact.before": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        systemPrompt: "is empty: Qwen Code does not show it",
        messageCount: "is 0: Qwen Code does not report it",
        nonSystemCount: "is 0: Qwen Code does not report it",
      },
      loses: { cancel: ALL_THE_SAME, skip: ALL_THE_SAME, compaction: "Qwen Code writes its own summary" },
    },
    "compact.after": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        messageCount: "is 0: Qwen Code does not report it",
        messagesArchived: "is 0: Qwen Code does not report it",
      },
      loses: { messages: DONE, additionalContext: DONE, halt: DONE },
    },
    "approval.requested": {
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        args: "Qwen Code's arguments are not changed here",
        halt: RUN,
      },
    },
  },
  absent: {
    "model.*": "Qwen Code shows hooks no messages and no requests",
    "message.*": MESSAGES,
    "tools.*": "Qwen Code does not let hooks choose its tools",
    "turn.*": "the bridge does not carry Qwen Code's batches of tool calls",
    "mcp.*": "Qwen Code does not report its MCP servers; calls of their tools are tool calls",
    notify: "the bridge does not carry Qwen Code's notifications",
    "task.*": "the bridge does not carry Qwen Code's list of tasks",
    "shell.user": "Qwen Code does not report commands that the person runs",
    "python.user": "Qwen Code does not report commands that the person runs",
  },
};
