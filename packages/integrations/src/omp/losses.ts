import type { HostTable } from "@hookline/bridge/kit";

const ENDS = "oh-my-pi cannot end a run; this call and all further ones are refused until the next prompt";
const TELLS = "the bridge only reports it";
const SAID = "oh-my-pi only reports its messages; the model's text stays as it was";
const PRINT = "without a terminal oh-my-pi shows no input: the prompt is dropped";

const SPAWNS = "oh-my-pi chooses the model of a sub-agent";

/**
 * Lists hookline's events and fields that oh-my-pi lacks or supports only in part. Source: spec/hosts/omp, and
 * spec/bridge.md 2 and 3.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      untold: { reason: "is always startup: oh-my-pi does not report it" },
      loses: {
        title: "oh-my-pi's sessions take no name from the bridge",
        firstMessage: "oh-my-pi takes its prompts from the person",
        halt: "oh-my-pi's session continues",
      },
    },
    "session.end": { untold: { reason: "is always quit: oh-my-pi does not report it" } },
    "session.before-branch": { untold: { position: "oh-my-pi does not report it" } },
    "session.before-tree": {
      untold: { signal: "the bridge does not carry it" },
      loses: {
        customInstructions: "oh-my-pi accepts none here",
        replaceInstructions: "oh-my-pi accepts none here",
        label: "oh-my-pi accepts none here",
      },
    },
    input: {
      untold: { streaming: "oh-my-pi does not report it" },
      loses: {
        text: "without a terminal each request has the new text, and the session keeps the typed one",
        images: "without a terminal oh-my-pi's images stay",
        handled: PRINT,
        stop: PRINT,
      },
    },
    "prompt.before": {
      loses: {
        text: "without a terminal each request has the new text, and the session keeps the typed one",
        title: "oh-my-pi's sessions take no name from the bridge",
        feedback: "is shown to the person",
      },
    },
    "agent.before-start": {
      untold: { promptParts: "the bridge carries the system prompt whole" },
      loses: { activeTools: "the bridge does not choose oh-my-pi's tools" },
    },
    "agent.spawn": {
      untold: {
        prompt: "is what all sub-agents of the call share",
        model: "is empty: oh-my-pi does not report it",
        tools: "is empty: oh-my-pi does not report them",
      },
      loses: { model: SPAWNS, note: SPAWNS },
    },
    "model.context": {
      loses: {
        systemPrompt: "oh-my-pi gives it to the hooks of a request to read only",
        additionalContext: "arrives as a message of its own",
        feedback: "is shown to the person",
      },
    },
    "reply.before": { loses: { text: SAID, stop: SAID, reason: "is lost" } },
    "model.response": { loses: { text: SAID, stop: SAID, feedback: "is lost" } },
    "message.end": { loses: { message: SAID } },
    "tool.before": {
      loses: {
        "decision:ask": "becomes a refusal: the bridge cannot ask anybody",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: ENDS,
      },
    },
    "tool.after": {
      untold: { durationMs: "oh-my-pi does not report how long a tool ran" },
      loses: { halt: ENDS },
      always: { blocked: { value: false, why: "oh-my-pi reports only the results of calls that ran" } },
    },
    "turn.end": {
      untold: { context: "the bridge does not carry it" },
      loses: { entries: TELLS, continue: TELLS, halt: TELLS },
    },
    "agent.stop": { loses: { feedback: "at most 8 times, and never for a sub-agent" } },
    "agent.before-settle": {
      untold: { context: "the bridge does not carry it" },
      loses: { entries: "the text of custom messages is sent" },
    },
    "shell.user": { loses: { operations: "functions cannot be carried between processes" } },
    "approval.requested": {
      untold: { args: "is empty: oh-my-pi does not report them" },
      loses: {
        "decision:allow": "hooks cannot answer for the person",
        "decision:deny": "oh-my-pi only reports that it asks",
        reason: "oh-my-pi only reports that it asks",
        args: "oh-my-pi accepts no changed arguments here",
        halt: "oh-my-pi only reports that it asks",
      },
    },
    "compact.before": {
      untold: { systemPrompt: "is empty: oh-my-pi does not report it", signal: "the bridge does not carry it" },
      loses: { instructions: "oh-my-pi accepts none here" },
    },
    "compact.after": {
      untold: { messages: "is empty: oh-my-pi does not report them" },
      loses: { messages: TELLS, additionalContext: TELLS, halt: TELLS },
    },
  },
  absent: {
    "model.request": "oh-my-pi shows hooks no request before the provider's own format",
    "model.headers": "oh-my-pi shows hooks no headers of its requests",
    "tools.*": "oh-my-pi does not let extensions choose its tools for a request",
    "message.update": "the bridge leaves out what oh-my-pi fires for every piece of a reply",
    "tool.update": "the bridge leaves out what oh-my-pi fires for every piece of a result",
    "agent.spawned": "oh-my-pi does not report its sub-agents",
    "agent.done": "oh-my-pi does not report its sub-agents",
    "resources.discover": "the bridge adds no skills, prompts or themes to oh-my-pi",
    "mail.*": "oh-my-pi has no mail between contexts",
    "context.*": "oh-my-pi has no named contexts",
    "task.*": "oh-my-pi does not report its list of tasks",
  },
};
