import type { HostTable } from "@hookline/bridge/kit";

const PROMPT = "Codex cannot change a prompt; what is put before or after it arrives as context";
const TEXT = "arrives as text; images and details are lost";
const GOES = "Codex only reports a compaction, and takes no answer";
const RUN = "Codex cannot end a run; this call and all further ones are refused until the next prompt";
const SEEN = "Codex only reports that a sub-agent starts or ends";

/**
 * Lists hookline's events and fields that Codex lacks or supports only in part. Source: spec/hosts/codex, and
 * spec/bridge.md 2 and 3.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        title: "Codex's sessions take no name from a hook",
        firstMessage: "Codex takes its prompts from the person",
      },
    },
    input: { loses: { text: PROMPT, images: PROMPT, handled: "Codex says that the prompt was blocked" } },
    "prompt.before": {
      loses: {
        text: PROMPT,
        feedback: "is shown to the person as the reason for the refusal",
        title: "Codex's sessions take no name from a hook",
      },
    },
    "agent.before-start": {
      untold: {
        systemPrompt: "is empty: Codex does not show it",
        promptParts: "Codex does not show its system prompt",
      },
      loses: {
        systemPrompt: "what it adds arrives as context, and Codex's own stays",
        activeTools: "Codex's tools cannot be chosen by hooks",
      },
    },
    "tool.before": {
      loses: {
        "decision:ask": "becomes a refusal: nobody can be asked through Codex",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: {
        details: "is empty: Codex gives the result as text",
        durationMs: "Codex does not report how long a tool ran",
      },
      loses: {
        content: TEXT,
        details: TEXT,
        isError: "Codex keeps no error flag for a result",
        halt: RUN,
      },
      always: {
        isError: { value: false, why: "Codex does not report whether a call has failed" },
        blocked: { value: false, why: "Codex reports only the results of calls that ran" },
      },
    },
    "tool.end": { always: { isError: { value: false, why: "Codex does not report whether a call has failed" } } },
    "agent.spawn": {
      untold: { tools: "is empty: Codex does not report a sub-agent's tools" },
      loses: { model: "Codex chooses the model of a sub-agent", note: "Codex chooses the model of a sub-agent" },
    },
    "agent.spawned": {
      untold: { prompt: "is empty: Codex does not report it", tools: "is empty: Codex does not report them" },
      loses: { additionalContext: SEEN },
    },
    "agent.done": {
      untold: { prompt: "is empty: Codex does not report it", messages: "is empty: Codex shows hooks no messages" },
      loses: { stop: SEEN, feedback: SEEN },
    },
    "agent.stop": {
      untold: { messages: "holds the prompt and the last reply: Codex shows hooks no messages" },
      loses: { additionalContext: "is sent with the feedback, and is lost without one" },
    },
    "agent.before-settle": {
      untold: { context: "Codex does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent; Codex keeps no entries of hooks" },
    },
    "agent.end": { untold: { messages: "holds the prompt and the last reply: Codex shows hooks no messages" } },
    "compact.before": {
      untold: {
        messages: "is empty: Codex shows hooks no messages",
        systemPrompt: "is empty: Codex does not show it",
        messageCount: "is 0: Codex does not report it",
        nonSystemCount: "is 0: Codex does not report it",
      },
      loses: {
        cancel: "would end the turn with an error, so it has no effect",
        skip: "would end the turn with an error, so it has no effect",
        compaction: GOES,
        instructions: GOES,
      },
    },
    "compact.after": {
      untold: {
        messages: "is empty: Codex shows hooks no messages",
        messageCount: "is 0: Codex does not report it",
        messagesArchived: "is 0: Codex does not report it",
      },
      loses: { messages: GOES, additionalContext: GOES, halt: GOES },
    },
    "approval.requested": {
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        args: "Codex accepts no changed arguments here",
        halt: RUN,
      },
    },
  },
  absent: {
    "model.*": "Codex shows hooks no messages and no requests",
    "message.*": "Codex shows hooks no messages",
    "tools.*": "Codex does not let hooks choose its tools",
    "turn.*": "Codex does not report single turns",
    "mcp.*": "Codex does not report its MCP servers; calls of their tools are tool calls",
    "shell.user": "Codex does not report commands that the person runs",
    "python.user": "Codex does not report commands that the person runs",
  },
};
