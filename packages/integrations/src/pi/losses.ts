import type { HostTable } from "@hookline/bridge/kit";

const ENDS = "pi cannot end a run; this call and all further ones are refused until the next prompt";
const TELLS = "the bridge only reports it";

/**
 * Lists hookline's events and fields that pi lacks or supports only in part. Source: spec/hosts/pi, and spec/bridge.md
 * 2 and 3.
 */
export const table: HostTable = {
  cells: {
    "session.start": {
      loses: {
        title: "pi's sessions take no name from the bridge",
        firstMessage: "pi takes its prompts from the person",
        halt: "pi's session continues",
      },
    },
    "session.before-tree": { untold: { signal: "the bridge does not carry it" } },
    "model.select": { loses: { additionalContext: "arrives with the next prompt" } },
    input: { loses: { stop: "the text is not sent, as if it were handled" } },
    "prompt.before": {
      loses: { title: "pi's sessions take no name from the bridge", feedback: "is shown to the person" },
    },
    "agent.before-start": {
      untold: { promptParts: "the bridge carries the system prompt whole" },
      loses: { activeTools: "the bridge does not choose pi's tools" },
    },
    "model.context": {
      loses: {
        systemPrompt: "pi gives it to the hooks of a request to read only",
        additionalContext: "arrives as a message of its own",
        feedback: "is shown to the person",
      },
    },
    "reply.before": { loses: { stop: "the text is dropped, and the run goes on", reason: "is lost" } },
    "model.response": { loses: { stop: "the text is dropped, and calls stay", feedback: "is lost" } },
    "tool.before": {
      loses: {
        "decision:ask": "becomes a refusal: the bridge cannot ask anybody",
        rest: "other calls of the same reply are judged separately",
        terminate: "this call is refused, and the run continues",
        halt: ENDS,
      },
    },
    "tool.after": {
      untold: { durationMs: "pi does not report how long a tool ran" },
      loses: { halt: ENDS },
      always: { blocked: { value: false, why: "pi reports only the results of calls that ran" } },
    },
    "turn.end": {
      untold: { context: "the bridge does not carry it" },
      loses: { entries: TELLS, continue: TELLS, halt: TELLS },
    },
    "agent.before-settle": {
      untold: { context: "the bridge does not carry it" },
      loses: { entries: "the text of custom messages is sent" },
    },
    "shell.user": { loses: { operations: "functions cannot be carried between processes" } },
    "compact.before": {
      untold: { systemPrompt: "is empty: pi does not report it", signal: "the bridge does not carry it" },
      loses: { instructions: "pi accepts none here" },
    },
    "compact.after": {
      untold: { messages: "is empty: pi does not report them" },
      loses: { messages: TELLS, additionalContext: TELLS, halt: TELLS },
    },
  },
  absent: {
    "model.request": "pi shows hooks no request before the provider's own format",
    "message.update": "the bridge leaves out what pi fires for every piece of a reply",
    "tool.update": "the bridge leaves out what pi fires for every piece of a result",
    "agent.spawn": "pi has no sub-agents",
    "agent.spawned": "pi has no sub-agents",
    "agent.done": "pi has no sub-agents",
    "mail.*": "pi has no mail between contexts",
    "context.*": "pi has no named contexts",
    "task.*": "pi has no list of tasks",
  },
};
