import type { HostTable } from "@hookline/bridge/kit";

const PROMPT = "Claude Code cannot change a prompt; what is put before or after it arrives as context";
const TEXT =
  "arrives as text in the shape of the tool's result; images and details are lost, and a failed call's result stays as it is";
const MESSAGES = "Claude Code shows hooks no messages";
const EXCHANGE = `holds the prompt and the last reply: ${MESSAGES}`;
const EMPTY = "is empty: Claude Code does not report it";
const SPAWNS = "Claude Code chooses the model of a sub-agent";
const SUMMARY = "Claude Code writes its own summary";
const TITLE = "the bridge gives Claude Code's sessions no name";

/**
 * The events of hookline that Claude Code lacks, and what hooks lose at the others. Source: spec/claude.md, which is
 * public documentation. Nothing of it was tested with Claude Code.
 */
export const table: HostTable = {
  cells: {
    "session.start": { loses: { title: TITLE, firstMessage: "Claude Code takes its prompts from the person" } },
    "session.end": {
      untold: { reason: "Claude Code exits after 1.5 seconds: hooks that take longer continue by themselves" },
    },
    input: { loses: { text: PROMPT, images: PROMPT, handled: "Claude Code says that the prompt was blocked" } },
    "prompt.before": {
      loses: { text: PROMPT, feedback: "is shown to the person as the reason for the refusal", title: TITLE },
    },
    "prompt.build": { untold: { base: "is empty: Claude Code does not show its system prompt" } },
    "agent.before-start": {
      untold: { systemPrompt: EMPTY, promptParts: "Claude Code does not show its system prompt" },
      loses: {
        systemPrompt: "what it adds arrives as context, and Claude Code's own stays",
        activeTools: "Claude Code's tools cannot be chosen by hooks",
      },
    },
    "tool.before": {
      loses: {
        "decision:ask": "Claude Code asks you; if nobody can be asked, it refuses",
        args: "Claude Code asks you about the changed call, unless permissions are bypassed; if nobody can be asked, it refuses",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
      },
    },
    "tool.after": {
      untold: { details: "is empty: the result is reported as text" },
      loses: { content: TEXT, details: TEXT, isError: "Claude Code keeps whether a call has failed" },
      always: { blocked: { value: false, why: "Claude Code reports only the results of calls that ran" } },
    },
    "agent.spawn": { untold: { model: EMPTY, tools: EMPTY }, loses: { model: SPAWNS, note: SPAWNS } },
    "agent.spawned": { untold: { prompt: EMPTY, model: EMPTY, tools: EMPTY } },
    "agent.done": {
      untold: { prompt: EMPTY, messages: `is empty: ${MESSAGES}` },
      loses: { feedback: "at most 5 for each sub-agent" },
    },
    "agent.stop": {
      untold: { messages: EXCHANGE },
      loses: { additionalContext: "is sent with the feedback, and is lost without one" },
    },
    "agent.before-settle": {
      untold: { context: "Claude Code does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent; Claude Code keeps no entries of hooks" },
    },
    "agent.end": { untold: { messages: EXCHANGE } },
    "compact.before": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        systemPrompt: EMPTY,
        messageCount: "is 0: Claude Code does not report it",
        nonSystemCount: "is 0: Claude Code does not report it",
      },
      loses: {
        "skip:all": "this compaction is skipped, and later ones are asked about",
        compaction: SUMMARY,
        instructions: SUMMARY,
      },
    },
    "compact.after": {
      untold: {
        messages: `is empty: ${MESSAGES}`,
        messageCount: "is 0: Claude Code does not report it",
        messagesArchived: "is 0: Claude Code does not report it",
      },
      loses: {
        messages: "Claude Code keeps its own",
        additionalContext: "arrives when the session starts again after the compaction",
        halt: "Claude Code goes on",
      },
    },
    "approval.requested": {
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        args: "the bridge changes no arguments here",
        halt: "this call and all further ones are refused until the next prompt",
      },
    },
  },
  absent: {
    "model.*": "Claude Code shows hooks no messages and no requests",
    "message.*": MESSAGES,
    "tools.*": "Claude Code does not let hooks choose its tools",
    "turn.*": "the bridge does not carry Claude Code's batches of tool calls",
    "mcp.*": "the bridge does not carry what Claude Code tells of MCP servers; calls of their tools are tool calls",
    notify: "the bridge does not carry Claude Code's notifications",
    "task.*": "the bridge does not carry Claude Code's list of tasks",
    "shell.user": "Claude Code does not report commands that the person runs",
    "python.user": "Claude Code does not report commands that the person runs",
  },
};
