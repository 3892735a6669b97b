import type { HostTable } from "@hookline/bridge/kit";

const RUN = "this call and all further ones are refused until the next prompt";
const TELLS = "OpenCode only reports it";
const SYSTEM = "arrives in the system prompt, with every request up to the next prompt";
const TEXT = "the result is text; pictures and files stay as they were";
const GOES = "OpenCode compacts whatever hooks say";

/**
 * Lists hookline's events and fields that OpenCode lacks or supports only in part. Source: spec/hosts/opencode, and
 * spec/bridge.md 2 and 3.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        additionalContext: "arrives in the system prompt",
        title: "OpenCode's sessions take no name from a hook",
        firstMessage: "OpenCode takes its prompts from the person",
        halt: "OpenCode's session continues",
      },
    },
    input: {
      loses: {
        images: "pictures stay as they were",
        handled: "ends `opencode run` with an error",
        stop: "ends `opencode run` with an error",
      },
    },
    "prompt.before": {
      loses: {
        stop: "ends `opencode run` with an error",
        feedback: "is shown to the person as the reason for the refusal",
        additionalContext: SYSTEM,
        title: "OpenCode's sessions take no name from a hook",
      },
    },
    "agent.before-start": {
      untold: {
        systemPrompt: "is that of the run's first request, which may be the one that names the session",
        promptParts: "OpenCode does not show them",
      },
      loses: { messages: SYSTEM, activeTools: "OpenCode lets hooks describe tools, not choose them" },
    },
    "model.context": {
      untold: { systemPrompt: "is empty: OpenCode shows it elsewhere", model: "OpenCode does not report it here" },
      loses: {
        systemPrompt: "OpenCode takes it elsewhere",
        inject: "arrives as messages from the person",
        additionalContext: "arrives as a message from the person",
        stop: "ends the run with an error",
      },
    },
    "model.headers": { untold: { headers: "holds what plugins have added: OpenCode does not show its own" } },
    "model.response": { loses: { stop: "the text is dropped, and calls stay", feedback: "is lost" } },
    "message.end": { untold: { message: "is one text of the model's reply; others are not reported" } },
    "tool.before": {
      loses: {
        "decision:ask": "becomes a refusal: nobody can be asked through OpenCode",
        additionalContext: "arrives with the result",
        remark: "arrives with the result",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: {
        isError: "is reported for commands only; no other failed tool is reported",
        durationMs: "OpenCode does not report how long a tool ran",
      },
      loses: {
        content: TEXT,
        isError: "OpenCode keeps no error flag for a result",
        additionalContext: "arrives after the result",
        remark: "arrives after the result",
        halt: RUN,
      },
      always: { blocked: { value: false, why: "OpenCode reports only the results of calls that ran" } },
    },
    "tool.end": { untold: { isError: "is reported for commands only" } },
    "agent.spawn": {
      untold: {
        model: "is empty: OpenCode does not report it",
        tools: "is empty: OpenCode does not report a sub-agent's tools",
        depth: "is always 1: OpenCode does not report it",
      },
      loses: { model: "OpenCode chooses the model of a sub-agent", note: "OpenCode chooses the model of a sub-agent" },
    },
    "agent.spawned": {
      untold: {
        prompt: "is the title of its session: OpenCode does not report its prompt",
        model: "is empty: OpenCode does not report it",
        tools: "is empty: OpenCode does not report them",
      },
      loses: { additionalContext: "arrives in its system prompt" },
    },
    "agent.done": {
      untold: { messages: "holds the prompt and the last reply: OpenCode shows hooks no messages here" },
      loses: { stop: TELLS, feedback: TELLS },
    },
    "agent.end": { untold: { messages: "holds the prompt and the last reply: OpenCode shows hooks no messages here" } },
    "compact.before": {
      untold: {
        trigger: "is always threshold: OpenCode does not report it",
        messages: "is empty: OpenCode shows hooks no messages here",
        systemPrompt: "is empty: OpenCode shows it elsewhere",
        messageCount: "is 0: OpenCode does not report it",
        nonSystemCount: "is 0: OpenCode does not report it",
        preparation: "OpenCode does not show it",
        branchEntries: "OpenCode does not show it",
      },
      loses: { cancel: GOES, skip: GOES, compaction: "OpenCode writes the summary" },
    },
    "compact.prompt": {
      untold: { messages: "is empty: OpenCode shows hooks no messages here" },
      loses: { preserveData: "OpenCode keeps no data of hooks" },
    },
    "compact.after": {
      untold: {
        trigger: "is always threshold: OpenCode does not report it",
        messages: "is empty: OpenCode shows hooks no messages here",
        messageCount: "is 0: OpenCode does not report it",
        messagesArchived: "is 0: OpenCode does not report it",
        summary: "is empty: OpenCode does not report it",
        compactionEntry: "OpenCode does not show it",
      },
      loses: { messages: TELLS, additionalContext: TELLS, halt: TELLS },
    },
    "approval.requested": {
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        "decision:deny": "OpenCode only reports that it asks",
        reason: "OpenCode only reports that it asks",
        args: "OpenCode accepts no changed arguments here",
        halt: "OpenCode only reports that it asks",
      },
    },
  },
  absent: {
    "agent.stop": "OpenCode reports the end of a run when it is too late to continue",
    "agent.before-settle": "OpenCode reports the end of a run when it is too late to continue",
    "model.request": "OpenCode shows hooks the parameters of a request, not the request",
    "model.wire": "OpenCode shows hooks the parameters of a request, not the request",
    "tools.*": "OpenCode lets hooks describe tools, not choose them",
    "turn.*": "OpenCode does not report single turns",
    "mcp.*": "OpenCode does not report its MCP servers; calls of their tools are tool calls",
    "shell.user": "OpenCode does not report commands that the person runs",
    "python.user": "OpenCode does not report commands that the person runs",
  },
};
