import type { HostCall, HostHooks } from "@hookline/bridge/kit";
import {
  askCall,
  askResult,
  askRun,
  askStart,
  askText,
  callIn,
  callMoments,
  END_MOMENTS,
  eventsOf,
  exchange,
  fieldsOf,
  type HostRow,
  type HostToolCall,
  maybeText,
  objectIn,
  RESULT_MOMENTS,
  RUN_MOMENTS,
  replyMessage,
  TEXT_MOMENTS,
  tellEnd,
  textIn,
  toldOf,
} from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { type Message, textOf } from "@hookline/runtime";
import { opencodeTools } from "../tools.ts";
import { changesTo, placedMessages } from "./messages.ts";
import { inWords, type OutputChange, type PluginAnswer } from "./words.ts";

/** The plugin's time limit for one event, in ms. OpenCode itself waits forever. */
const WAIT_MS = 60_000;

/**
 * The time limit at the end of a session, in ms. OpenCode waits for its plugins before it exits, and hooks must not
 * delay that for long.
 */
const END_MS = 5_000;

type Event = HostRow<PluginAnswer>;

/** The hooks of OpenCode's plugin API. They change `output` in place, and throw to refuse. */
const hooks: Readonly<Record<string, Event>> = {
  "chat.message": {
    moments: TEXT_MOMENTS,
    refuse: (refuse) => ({ refuse }),
    prompt: ({ output }, { memory }) => ({
      text: typedIn(output).prompt,
      ...(memory.has(CHILD) && { from: "model" }),
    }),
    async say({ output }, asked) {
      const { memory } = asked;
      const { texts, prompt } = typedIn(output);
      memory.set(PROMPT, prompt);
      memory.set(BEGINS, true);
      // The prompt of a sub-agent was written by the model, not by the user.
      if (memory.has(CHILD)) return undefined;
      const { refused, text, context } = await askText(asked, prompt);
      if (refused !== undefined) return { refuse: refused, notices: asked.notices() };
      memory.set(CONTEXT, context);
      memory.set(PROMPT, text ?? prompt);
      const changes =
        text === undefined ? [] : texts.map((at, nth): OutputChange => promptPart(at, nth === 0 ? text : ""));
      return { changes, notices: asked.notices() };
    },
  },
  "experimental.chat.system.transform": {
    moments: RUN_MOMENTS,
    async say({ output }, asked) {
      const { memory } = asked;
      const system = listIn(output, "system").map(String);
      const shown = system.join("\n\n");
      if (memory.delete(BEGINS)) {
        const { systemPrompt, context } = await askRun(asked, promptOf(asked), shown);
        memory.set(RUN, { ...addedTo(shown, systemPrompt ?? shown), context } satisfies Run);
      }
      const run = (memory.get(RUN) as Run | undefined) ?? { context: [] };
      const texts = [run.behind ?? "", ...textsIn(asked, START), ...textsIn(asked, CONTEXT), ...run.context];
      return {
        changes: [
          ...(run.whole === undefined ? [] : [{ at: ["system"], to: [run.whole] }]),
          ...(run.inFront === undefined ? [] : [{ at: ["system"], add: run.inFront, before: 0 }]),
          // If the plugin is installed twice, the system prompt may already contain the text.
          ...texts.flatMap((text) => (text === "" || system.includes(text) ? [] : [{ at: ["system"], add: text }])),
        ],
      };
    },
  },
  "experimental.chat.messages.transform": {
    moments: ["model.context"],
    async say({ output }, asked) {
      const messages = listIn(output, "messages");
      const before = placedMessages(messages, asked.servers());
      const shown = before.map(({ message }) => message);
      const { answer } = await asked.emit("model.context", { messages: shown, systemPrompt: "" });
      if (answer.stop) return { refuse: answer.feedback || "A hook stopped this request." };
      const added = (answer.additionalContext ?? []).join("\n\n");
      const note: Message = { role: "user", content: added, timestamp: Date.now() };
      const after = [...(answer.messages ?? shown), ...(answer.inject ?? []), ...(added === "" ? [] : [note])];
      return { changes: changesTo(messages, before, after) };
    },
  },
  "chat.headers": {
    moments: ["model.headers"],
    async say({ output }, asked) {
      const headers = objectIn(objectOf(output), "headers") as Readonly<Record<string, string>>;
      const { answer } = await asked.emit("model.headers", { headers });
      if (answer.headers === undefined) return undefined;
      const to = Object.fromEntries(Object.entries(answer.headers).filter(([, value]) => value !== null));
      return { changes: [{ at: ["headers"], to }] };
    },
  },
  "tool.execute.before": {
    moments: callMoments(opencodeTools),
    refuse: (refuse) => ({ refuse }),
    async say({ input, output }, asked) {
      const call = callOf(objectOf(input), objectOf(output)["args"], asked);
      const {
        refused,
        args: to,
        context,
      } = await askCall(asked, call, { nobody: "nobody can be asked through OpenCode" });
      if (refused !== undefined) return { refuse: [refused, ...context].join("\n\n") };
      asked.memory.set(contextOf(call), context);
      return to === undefined ? undefined : { changes: [{ at: ["args"], to }] };
    },
  },
  "tool.execute.after": {
    moments: RESULT_MOMENTS,
    async say({ input, output }, asked) {
      const call = callOf(objectOf(input), objectOf(input)["args"], asked);
      const result = objectOf(output);
      const text = maybeText(result, "output") ?? "";
      const details = objectIn(result, "metadata");
      // Only results of shell commands say whether the call failed.
      const isError = typeof details["exit"] === "number" && details["exit"] !== 0;
      const verdict = await askResult(asked, { ...toldOf(call), content: [{ type: "text", text }], details, isError });
      const now = verdict.content === undefined ? text : textOf(verdict.content);
      const all = [now, ...textsIn(asked, contextOf(call)), ...verdict.context]
        .filter((one) => one !== "")
        .join("\n\n");
      asked.memory.delete(contextOf(call));
      return {
        changes: [
          ...(all === text ? [] : [{ at: ["output"], to: all }]),
          ...(isFields(verdict.details) ? [{ at: ["metadata"], to: verdict.details }] : []),
        ],
      };
    },
  },
  "experimental.text.complete": {
    moments: ["model.response", "message.end"],
    async say({ output }, asked) {
      const text = maybeText(objectOf(output), "text") ?? "";
      const response = await asked.emit("model.response", { text });
      const said = response.answer.stop ? "" : (response.answer.text ?? text);
      const message = replyMessage(said);
      const { answer } = await asked.emit("message.end", { message });
      const last = answer.message;
      const to = last !== undefined && "content" in last ? textOf(last.content as string) : said;
      asked.memory.set(REPLY, to);
      return { changes: to === text ? [] : [{ at: ["text"], to }] };
    },
  },
  "experimental.session.compacting": {
    moments: ["compact.before", "compact.prompt"],
    async say({ input }, asked) {
      const before = await asked.emit("compact.before", { ...COMPACTION, nonSystemCount: 0, systemPrompt: "" });
      const sessionId = maybeText(objectOf(input), "sessionID") ?? "";
      const { answer } = await asked.emit("compact.prompt", { sessionId, messages: [] });
      const texts = [...(before.answer.instructions ?? []), ...(answer.context ?? [])];
      return {
        changes: [
          ...texts.map((add): OutputChange => ({ at: ["context"], add })),
          ...(answer.prompt === undefined ? [] : [{ at: ["prompt"], to: answer.prompt }]),
        ],
      };
    },
  },
  dispose: ending("quit"),
};

/** The events that OpenCode reports to its plugins without waiting for an answer. */
const told: Readonly<Record<string, Event>> = {
  "session.created": {
    moments: ["session.start", "agent.spawned"],
    async say({ properties }, asked) {
      const info = objectIn(objectOf(properties), "info");
      const { context } = await askStart(asked, "startup");
      const { answer } =
        info["parentID"] === undefined
          ? { answer: {} }
          : await asked.emit("agent.spawned", { prompt: maybeText(info, "title") ?? "", model: "", tools: [] });
      if (info["parentID"] !== undefined) asked.memory.set(CHILD, true);
      const added = (answer as { readonly additionalContext?: readonly string[] }).additionalContext ?? [];
      asked.memory.set(START, [...context, ...added]);
      return { notices: asked.notices() };
    },
  },
  "session.deleted": ending("new"),
  "session.idle": {
    moments: ["agent.done", ...END_MOMENTS],
    async say(_, asked) {
      const about = { prompt: promptOf(asked), reply: replyOf(asked), stopHookActive: false };
      if (!asked.memory.has(CHILD)) await tellEnd(asked, about);
      else await asked.emit("agent.done", { ...about, messages: exchange(about.prompt, about.reply), retryCount: 0 });
      return { notices: asked.notices() };
    },
  },
  "session.compacted": {
    moments: ["compact.after"],
    async say(_, asked) {
      await asked.emit("compact.after", { ...COMPACTION, messagesArchived: 0, fromExtension: false });
      return undefined;
    },
  },
  "permission.asked": {
    moments: ["approval.requested"],
    async say({ properties }, asked) {
      const { id, permission, tool, metadata } = objectOf(properties);
      const toolCallId = maybeText(objectOf(tool), "callID") ?? "";
      const about = toldOf(
        callIn(opencodeTools, asked, {
          toolCallId,
          name: typeof permission === "string" ? permission : "",
          args: metadata,
        }),
      );
      asked.memory.set(`${APPROVAL} ${String(id)}`, { toolCallId, tool: about.tool });
      await asked.emit("approval.requested", about);
      return undefined;
    },
  },
  "permission.replied": {
    moments: ["approval.resolved"],
    async say({ properties }, asked) {
      const { requestID, permissionID, reply, response } = objectOf(properties);
      const name = `${APPROVAL} ${String(requestID ?? permissionID)}`;
      const about = asked.memory.get(name) as { readonly toolCallId: string; readonly tool: string } | undefined;
      asked.memory.delete(name);
      if (about !== undefined)
        await asked.emit("approval.resolved", { ...about, approved: (reply ?? response) !== "reject" });
      return undefined;
    },
  },
};

/** The types of the events that OpenCode sends on its bus. */
export const BUS: readonly string[] = Object.keys(told);

/** OpenCode's events. `permission.ask` is left out, since OpenCode never calls it. Source: spec/hosts/opencode. */
export const events = eventsOf<PluginAnswer>(
  { ...told, ...hooks },
  { timeoutMs: WAIT_MS, read, write: (_, said) => inWords(said) },
);

const PROMPT = "prompt";
const REPLY = "reply";
const CONTEXT = "context";
const START = "context of the start";
const APPROVAL = "approval";
/** The key in `memory` that is set if the session is a sub-agent's. */
const CHILD = "sub-agent";
/** The key in `memory` that is set from a prompt until the run's first request to the model. */
const BEGINS = "a run begins";
/** The key in `memory` of the hooks' changes to the system prompt, which are applied to every request of a run. */
const RUN = "run";

interface Run {
  readonly whole?: string;
  readonly inFront?: string;
  readonly behind?: string;
  readonly context: readonly string[];
}

/** The payload of a compaction. OpenCode reports neither its reason nor its messages. */
const COMPACTION = { kind: "full", trigger: "threshold", messages: [], messageCount: 0, summary: "" } as const;

function ending(reason: "quit" | "new"): Event {
  return {
    moments: ["session.end"],
    timeoutMs: END_MS,
    ends: true,
    async say(_, asked) {
      await asked.emit("session.end", { reason });
      return undefined;
    },
  };
}

/** Parses the plugin's message: the input and output of a hook of OpenCode, or an event of its bus. */
function read(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const event = objectIn(fields, "event");
  const [input, output] = [objectIn(event, "input"), objectIn(event, "output")];
  const model =
    maybeText(objectIn(objectIn(output, "message"), "model"), "modelID") ?? maybeText(objectIn(input, "model"), "id");
  const call = callIdOf(event, input, output);
  return {
    session: textIn(fields, "session"),
    ...(call !== undefined && { call }),
    ...(model !== undefined && { scene: { model } }),
    payload: event,
  };
}

/** Returns an id for the event, by which the bridge recognises it if two installed plugins report it. */
function callIdOf(event: Fields, input: Fields, output: Fields): string | undefined {
  const { properties } = event;
  const messages = listIn(output, "messages");
  const [last] = messages.slice(-1).map((one) => maybeText(objectIn(objectOf(one), "info"), "id"));
  return (
    maybeText(input, "callID") ??
    maybeText(input, "partID") ??
    maybeText(objectIn(output, "message"), "id") ??
    (last === undefined ? undefined : `${last} ${messages.length}`) ??
    (isFields(properties) ? JSON.stringify(properties) : undefined) ??
    (Object.keys(event).length === 0 ? "the end" : undefined)
  );
}

function callOf(input: Fields, args: unknown, hooks: HostHooks): HostToolCall {
  return callIn(opencodeTools, hooks, { toolCallId: maybeText(input, "callID"), name: textIn(input, "tool"), args });
}

function contextOf({ toolCallId }: HostToolCall): string {
  return `${CONTEXT} of ${toolCallId}`;
}

function promptPart(at: number, to: string): OutputChange {
  return { at: ["parts", at, "text"], to };
}

/** Returns how hooks changed a system prompt, so that the same change can be made to later requests. */
function addedTo(shown: string, whole: string): Omit<Run, "context"> {
  if (whole === shown) return {};
  const at = shown === "" ? 0 : whole.indexOf(shown);
  if (at < 0) return { whole };
  const [inFront, behind] = [whole.slice(0, at).trim(), whole.slice(at + shown.length).trim()];
  return { ...(inFront !== "" && { inFront }), ...(behind !== "" && { behind }) };
}

function textsIn({ memory }: HostHooks, name: string): readonly string[] {
  return (memory.get(name) as readonly string[] | undefined) ?? [];
}

function promptOf({ memory }: HostHooks): string {
  return (memory.get(PROMPT) as string | undefined) ?? "";
}

function replyOf({ memory }: HostHooks): string {
  return (memory.get(REPLY) as string | undefined) ?? "";
}

function objectOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function partsOf(output: unknown): readonly Fields[] {
  return listIn(output, "parts").map(objectOf);
}

/** Returns the texts that the user typed, joined, and their indexes among the parts. */
function typedIn(output: unknown): { readonly texts: readonly number[]; readonly prompt: string } {
  const parts = partsOf(output);
  const texts = parts.flatMap((part, at) => (part["type"] === "text" && !part["synthetic"] ? [at] : []));
  return { texts, prompt: texts.map((at) => maybeText(parts[at] ?? {}, "text") ?? "").join("\n\n") };
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = objectOf(value)[name];
  return Array.isArray(list) ? list : [];
}
