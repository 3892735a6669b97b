import { type Fields, isFields } from "@hookline/ground";
import { type EventName, type Message, textOf } from "@hookline/runtime";
import { type AgentTools, type AssistantMessage, isAnswer } from "@hookline/runtime/engine";
import type { HostHooks } from "../host/host.ts";
import { maybeText, textIn } from "../host/payload.ts";
import { askRun } from "../moment/prompt.ts";
import type { HostRow } from "../moment/rows.ts";
import { askStop } from "../moment/stop.ts";
import { askCall, askResult, callIn, callMoments, type HostToolCall, RESULT_MOMENTS, toldOf } from "../moment/tool.ts";
import { taken } from "../moment/waiting.ts";
import { changed, type Done, joined, present, some, textOfEntry } from "./done.ts";

/** An event of a program whose extensions are like pi's. */
export type ExtensionEvent = HostRow<Done>;

/** Makes the row of an event that hooks only observe. */
export function told(moment: EventName, payload: (event: Fields) => object): ExtensionEvent {
  return {
    moments: [moment],
    async say(event, hooks) {
      await hooks.emit(moment, payload(event) as never);
      return undefined;
    },
  };
}

/** Makes the row of an event. Hooks may answer it with `fields` alone, by default to cancel the event. */
export function cancelled(
  moment: EventName,
  payload: (event: Fields) => object,
  fields: readonly string[] = ["cancel", "skipConversationRestore"],
): ExtensionEvent {
  return {
    moments: [moment],
    async say(event, hooks) {
      const { answer } = await hooks.emit(moment, payload(event) as never);
      return { returns: changed(answer as Fields, fields) };
    },
  };
}

/** The events that pi, and all programs whose extensions are like pi's, fire with the same fields. */
export const SHARED: Readonly<Record<string, ExtensionEvent>> = {
  session_before_switch: cancelled("session.before-switch", ({ reason, targetSessionFile }) =>
    present({ reason, targetSessionFile }),
  ),
  session_tree: told("session.tree", ({ newLeafId, oldLeafId, summaryEntry, fromExtension }) =>
    present({ newLeafId, oldLeafId, summaryEntry, fromExtension }),
  ),
  turn_start: told("turn.start", ({ turnIndex, timestamp }) => ({ turnIndex, timestamp })),
  turn_end: told("turn.end", ({ turnIndex, message, toolResults, messageEntryId, toolResultEntryIds }) =>
    present({ turnIndex, message, toolResults, messageEntryId, toolResultEntryIds }),
  ),
  message_start: told("message.start", ({ message }) => ({ message })),
  context: {
    moments: ["model.context"],
    async say(event, hooks) {
      const messages = event["messages"] as readonly Message[];
      const systemPrompt = maybeText(event, "systemPrompt") ?? "";
      const { answer } = await hooks.emit("model.context", { messages, systemPrompt });
      if (answer.stop) return { abort: true, notices: [answer.feedback || "A hook stopped this request."] };
      const added = (answer.additionalContext ?? []).join("\n\n");
      const note = { role: "user", content: [{ type: "text", text: added }], timestamp: Date.now() };
      const all = [...(answer.messages ?? messages), ...(answer.inject ?? []), ...(added === "" ? [] : [note])];
      const isSame = answer.messages === undefined && all.length === messages.length;
      return isSame ? undefined : { returns: { messages: all } };
    },
  },
  before_provider_request: {
    moments: ["model.wire"],
    async say({ payload }, hooks) {
      const { answer } = await hooks.emit("model.wire", { body: payload });
      if (answer.stop) return { abort: true, notices: ["A hook stopped this request."] };
      return answer.body === undefined ? undefined : { returns: answer.body as Fields };
    },
  },
  after_provider_response: told("model.responded", ({ status, headers }) => ({ status, headers })),
  user_bash: {
    moments: ["shell.user"],
    refuse: (reason) => ({ returns: { result: refusedShell(reason) } }),
    async say({ command, excludeFromContext, cwd }, hooks) {
      const { answer } = await hooks.emit("shell.user", { command, excludeFromContext, cwd } as never);
      const result = answer.cancel === undefined ? answer.result : refusedShell(answer.cancel);
      return result === undefined ? undefined : { returns: { result } };
    },
  },
  session_before_compact: {
    moments: ["compact.before"],
    async say({ preparation, branchEntries, customInstructions, reason, willRetry }, hooks) {
      const messages = isFields(preparation) ? preparation["messagesToSummarize"] : undefined;
      const all = Array.isArray(messages) ? (messages as readonly Message[]) : [];
      const { answer } = await hooks.emit("compact.before", {
        kind: "full",
        trigger: triggerOf(reason, hooks),
        messages: all,
        systemPrompt: "",
        messageCount: all.length,
        nonSystemCount: all.length,
        summary: "",
        ...(present({ preparation, branchEntries, customInstructions, willRetry }) as object),
      });
      if (answer.cancel || answer.skip !== undefined) return { returns: { cancel: true } };
      return { returns: changed(answer as Fields, ["compaction"]) };
    },
  },
  session_compact: {
    moments: ["compact.after"],
    async say({ compactionEntry, fromExtension, reason, willRetry }, hooks) {
      await hooks.emit("compact.after", {
        kind: "full",
        trigger: triggerOf(reason, hooks),
        messages: [],
        messageCount: 0,
        messagesArchived: 0,
        summary: textOfEntry(compactionEntry, "summary"),
        fromExtension: fromExtension === true,
        ...(present({ compactionEntry, willRetry }) as object),
      });
      return undefined;
    },
  },
};

/**
 * Makes the rows of a call: before it runs, and for its result. Texts that hooks add before the call are added to its
 * result for the model.
 */
export function callRows({ label, tools, rewritten }: CallRows): Readonly<Record<string, ExtensionEvent>> {
  const refuse = (reason: string): Done => ({ returns: { block: true, reason } });
  const callOf = (event: Fields, hooks: HostHooks): HostToolCall =>
    callIn(tools, hooks, {
      toolCallId: maybeText(event, "toolCallId"),
      name: textIn(event, "toolName"),
      args: event["input"],
    });
  return {
    tool_call: {
      moments: callMoments(tools),
      refuse,
      async say(event, hooks) {
        const call = callOf(event, hooks);
        const asking = { nobody: `nobody can be asked through the bridge to ${label}` };
        const { refused, args, context } = await askCall(hooks, call, asking);
        if (refused !== undefined) return refuse([refused, ...context].join("\n\n"));
        if (context.length > 0) hooks.memory.set(contextOf(call), context);
        return args === undefined ? undefined : rewritten(args, event);
      },
    },
    tool_result: {
      moments: RESULT_MOMENTS,
      async say(event, hooks) {
        const call = callOf(event, hooks);
        const content = Array.isArray(event["content"]) ? (event["content"] as never[]) : [];
        const isError = event["isError"] === true;
        const verdict = await askResult(hooks, { ...toldOf(call), content, details: event["details"], isError });
        const texts = [...taken(hooks, contextOf(call)), ...verdict.context];
        const added = texts.map((text) => ({ type: "text", text }));
        const isChanged = verdict.content !== undefined || added.length > 0;
        return {
          returns: some({
            ...(isChanged && { content: [...(verdict.content ?? content), ...added] }),
            details: verdict.details,
            ...(verdict.isError !== isError && { isError: verdict.isError }),
          }),
        };
      },
    },
  };
}

/** The parts of `callRows` that differ between agents. */
interface CallRows {
  readonly label: string;
  readonly tools: AgentTools;
  /** Returns the effects that make the call run with other arguments. */
  rewritten(args: Fields, event: Fields): Done;
}

function contextOf({ toolCallId }: HostToolCall): string {
  return `${CONTEXT} of ${toolCallId}`;
}

/**
 * Asks the hooks about a run that begins. Returns the message to add beside the prompt, and the system prompt if it
 * changes.
 */
export async function askAgentStart(
  hooks: HostHooks,
  event: Fields,
): Promise<{ readonly systemPrompt?: string; readonly message?: Fields }> {
  const shown = joined(event["systemPrompt"]) ?? "";
  const { systemPrompt, context } = await askRun(hooks, promptIn(event), shown);
  const all = [...taken(hooks, START), ...taken(hooks, CONTEXT), ...context];
  const message = { customType: "hookline", content: all.join("\n\n"), display: false };
  return { ...(systemPrompt !== undefined && { systemPrompt }), ...(all.length > 0 && { message }) };
}

/** Returns the text that a run begins with: a person's prompt or, since pi 1.2, the message of an extension. */
function promptIn(event: Fields): string {
  const { message } = event;
  if (event["prompt"] !== undefined || !isFields(message)) return textIn(event, "prompt");
  const { content } = message;
  return typeof content === "string" || Array.isArray(content) ? textOf(content as string) : "";
}

/** Asks the hooks whether an agent may stop; returns the text with which it must continue, or `undefined`. */
export function askSettle(
  hooks: HostHooks,
  messages: readonly Message[],
  stopHookActive: boolean | undefined,
): Promise<string | undefined> {
  return askStop(hooks, { prompt: promptOf(hooks), reply: replyIn(messages), messages, stopHookActive });
}

/** Notifies hooks that a run is over, with its messages. */
export async function tellRunEnd(hooks: HostHooks, messages: readonly Message[]): Promise<void> {
  const prompt = promptOf(hooks);
  await hooks.emit("reply.final", { prompt, finalPrompt: prompt, reply: replyIn(messages) });
  await hooks.emit("agent.end", { messages });
}

/** Asks the hooks about a complete message; returns it as they have changed it, or `undefined` if they have not. */
export async function askMessage({ message: given }: Fields, hooks: HostHooks): Promise<Message | undefined> {
  const message = given as Message;
  const spoken = message.role === "assistant" ? await askReply(hooks, message) : message;
  const { answer } = await hooks.emit("message.end", { message: spoken });
  const ended = answer.message ?? spoken;
  const last = isAnswer(ended) ? await askAnswer(hooks, ended) : ended;
  return last === message ? undefined : last;
}

/** hookline's events for a complete message of the model. */
export const MESSAGE_MOMENTS = ["model.response", "message.end", "reply.before"] as const;

/** Asks the hooks about a reply of the model before it is stored. */
async function askReply(hooks: HostHooks, message: AssistantMessage): Promise<AssistantMessage> {
  const text = textOf(message.content);
  if (text === "") return message;
  const toolCalls = message.content.filter((block) => block.type === "toolCall");
  const { answer } = await hooks.emit("model.response", { text, toolCalls });
  return withText(message, answer.stop ? "" : (answer.text ?? text));
}

/** Asks the hooks about a reply without tool calls before it is shown. */
async function askAnswer(hooks: HostHooks, message: AssistantMessage): Promise<AssistantMessage> {
  const text = textOf(message.content);
  const { answer } = await hooks.emit("reply.before", { text });
  return withText(message, answer.stop ? "" : (answer.text ?? text));
}

function withText(message: AssistantMessage, text: string): AssistantMessage {
  if (text === textOf(message.content)) return message;
  const others = message.content.filter(({ type }) => type !== "text");
  return { ...message, content: [{ type: "text", text }, ...others] };
}

/** Key in `HostHooks.memory` for the prompt of the run. */
export const PROMPT = "prompt";
/** Key in `HostHooks.memory` for texts for the model, until an event can deliver them. */
export const CONTEXT = "context";
/** Key in `HostHooks.memory` for texts from the session's start, until a run passes them to the model. */
export const START = "context of the start";
/** Key in `HostHooks.memory` for the reason of the current compaction. */
export const TRIGGER = "trigger of the compaction";

function promptOf({ memory }: HostHooks): string {
  return (memory.get(PROMPT) as string | undefined) ?? "";
}

/** Returns the messages of an event. */
export function messagesIn({ messages }: Fields): readonly Message[] {
  return Array.isArray(messages) ? (messages as readonly Message[]) : [];
}

function triggerOf(reason: unknown, { memory }: HostHooks): "manual" | "threshold" | "overflow" {
  const given = reason ?? memory.get(TRIGGER);
  return given === "threshold" || given === "overflow" ? given : "manual";
}

/** Returns the text of the model's last reply. */
function replyIn(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last?.role === "assistant" ? textOf(last.content) : "";
}

function refusedShell(reason: string): Fields {
  return { output: reason, exitCode: 1, cancelled: false, truncated: false };
}
