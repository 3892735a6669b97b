import type { HostTable } from "@hookline/bridge/kit";

const PROMPT = "each request to the model has the new text; the screen and the session keep the typed one";
const ERROR = "arrives as an error; images and details are lost";
const RUN = "this call and all further ones are refused until the next prompt";
const SHOWN = "Gemini CLI shows hooks no messages here";

const SPAWNS = "Gemini CLI chooses the model of a sub-agent";

/**
 * Lists hookline's events and fields that Gemini CLI lacks or supports only in part. Source: spec/hosts/gemini, and
 * spec/bridge.md 2 and 3.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        title: "Gemini CLI's sessions take no name from a hook",
        firstMessage: "Gemini CLI takes its prompts from the person",
        halt: "Gemini CLI's session continues",
      },
    },
    input: {
      loses: {
        text: PROMPT,
        images: "pictures stay as they were",
        handled: "Gemini CLI says that the prompt was blocked",
      },
    },
    "prompt.before": {
      loses: {
        text: PROMPT,
        feedback: "is shown to the person as the reason for the refusal",
        title: "Gemini CLI's sessions take no name from a hook",
      },
    },
    "prompt.build": { untold: { base: "is empty: Gemini CLI does not show its system prompt" } },
    "agent.before-start": {
      untold: { systemPrompt: "is empty: Gemini CLI does not show it", promptParts: "Gemini CLI does not show them" },
      loses: {
        systemPrompt: "what it adds arrives as context, and Gemini CLI's own stays",
        activeTools: "the bridge does not choose Gemini CLI's tools",
      },
    },
    "model.context": {
      untold: {
        messages: "hold texts only: calls and results of tools are not shown, and stay",
        systemPrompt: "is empty: Gemini CLI does not show it",
      },
      loses: {
        messages: "texts change in place; a removed text is replaced by a note, an added one comes last",
        systemPrompt: "Gemini CLI's own stays",
        inject: "comes last",
        additionalContext: "arrives as a message of its own",
        feedback: "is shown to the person as the reason for the refusal",
      },
    },
    "model.request": {
      untold: {
        request: "holds texts and settings: Gemini CLI shows hooks no system prompt, no tools, no calls and no results",
      },
      loses: { request: "only the model, the settings and the texts of messages change" },
    },
    "agent.spawn": {
      untold: { model: "is empty: Gemini CLI does not report it", tools: "is empty: Gemini CLI does not report it" },
      loses: { model: SPAWNS, note: SPAWNS },
    },
    "tools.select": {
      untold: { tools: "is empty: Gemini CLI does not name them" },
      loses: {
        include: "other tools are still offered, and calls of them refused",
        exclude: "is still offered, and calls of it refused",
      },
    },
    "model.response": {
      untold: { text: "is one piece of a reply at a time" },
      loses: {
        text: "what is shown and sent again changes; the session's file keeps what the model said, and calls in the same piece are lost",
        stop: "this piece is not shown",
        feedback: "is lost",
      },
    },
    "message.end": {
      untold: { message: "holds the text of the model's replies; other messages are not reported" },
      loses: { message: "the last piece changes; those before it have been shown" },
    },
    "tool.before": {
      untold: { toolCallId: "Gemini CLI gives calls no id: equal calls have the same one" },
      loses: {
        "decision:ask": "becomes a refusal: Gemini CLI would wait for ever without a person",
        args: "an argument that a hook removes stays",
        additionalContext: "arrives with the result",
        remark: "arrives with the result",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: RUN,
      },
    },
    "tool.after": {
      untold: { details: "is empty: the result is text", durationMs: "Gemini CLI does not report how long a tool ran" },
      loses: { content: ERROR, details: ERROR, isError: "a rewritten result is always an error" },
      always: { blocked: { value: false, why: "Gemini CLI reports only the results of calls that ran" } },
    },
    "agent.stop": {
      untold: { messages: `holds the prompt and the last reply: ${SHOWN}` },
      loses: { additionalContext: "is sent with the feedback, and is lost without one" },
    },
    "agent.before-settle": {
      untold: { context: "Gemini CLI does not show what the next request is made of" },
      loses: { entries: "the text of custom messages is sent" },
    },
    "agent.end": { untold: { messages: `holds the prompt and the last reply: ${SHOWN}` } },
  },
  absent: {
    "model.wire": "Gemini CLI shows hooks a request before it is put into the provider's format",
    "model.headers": "Gemini CLI shows hooks no headers of its requests",
    "compact.*": "Gemini CLI fires PreCompress before every turn, compaction or not",
    "approval.*": "Gemini CLI asks no hook about approvals",
    "agent.spawned": "Gemini CLI does not report sub-agents",
    "agent.done": "Gemini CLI does not report sub-agents",
  },
};
