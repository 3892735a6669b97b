import { compared, maybeText, objectIn, replyMessage } from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { type Message, textOf } from "@hookline/runtime";
import { type NamedCall, readCall } from "@hookline/runtime/engine";
import { opencodeTools } from "../tools.ts";
import type { OutputChange } from "./words.ts";

/** A message as hooks see it, and its place in OpenCode's list of messages. */
interface Placed {
  readonly message: Message;
  /** The message's index in OpenCode's list. */
  readonly index: number;
  /** The indexes of the texts among the parts of OpenCode's message; for a tool's result the index of its call. */
  readonly parts: readonly number[];
}

/**
 * Converts OpenCode's messages to the catalog's. A tool's result becomes a separate message after the call. `servers`
 * are the MCP servers to which tools may belong.
 */
export function placedMessages(messages: readonly unknown[], servers: readonly string[] = []): readonly Placed[] {
  const callOf: CallOf = (name, args) => readCall(opencodeTools, name, args, () => ({ servers })).told;
  return messages.flatMap((one, index) => (isFields(one) ? placed(one, index, callOf) : []));
}

type CallOf = (name: string, args: unknown) => NamedCall;

function placed(one: Fields, index: number, callOf: CallOf): readonly Placed[] {
  const info = objectIn(one, "info");
  const parts = (Array.isArray(one["parts"]) ? (one["parts"] as readonly unknown[]) : []).map((part) =>
    isFields(part) ? part : {},
  );
  const texts = parts.flatMap((part, at) => (part["type"] === "text" && typeof part["text"] === "string" ? [at] : []));
  const created = objectIn(info, "time")["created"];
  const timestamp = typeof created === "number" ? created : 0;
  if (info["role"] !== "assistant") {
    const content = texts.map((at) => ({ type: "text" as const, text: String(parts[at]?.["text"]) }));
    return [{ message: { role: "user", content, timestamp }, index, parts: texts }];
  }
  const content = parts.flatMap((part) => blockOf(part, callOf));
  const reply: Message = { ...replyMessage(""), content, model: maybeText(info, "modelID") ?? "", timestamp };
  const results = parts.flatMap((part, at) => resultOf(part, callOf, { at, index, timestamp }));
  return [{ message: reply, index, parts: texts }, ...results];
}

function blockOf(part: Fields, callOf: CallOf): (Message & { readonly role: "assistant" })["content"] {
  const { type, text } = part;
  if (type === "text" && typeof text === "string") return [{ type: "text", text }];
  if (type === "reasoning" && typeof text === "string") return [{ type: "thinking", thinking: text }];
  if (type !== "tool") return [];
  const { tool, args } = callOf(maybeText(part, "tool") ?? "", objectIn(part, "state")["input"]);
  return [{ type: "toolCall", id: maybeText(part, "callID") ?? "", name: tool, arguments: args }];
}

function resultOf(
  part: Fields,
  callOf: CallOf,
  { at, index, timestamp }: { readonly at: number; readonly index: number; readonly timestamp: number },
): readonly Placed[] {
  const state = objectIn(part, "state");
  const field = resultField(state);
  if (part["type"] !== "tool" || field === undefined) return [];
  const message: Message = {
    role: "toolResult",
    toolCallId: maybeText(part, "callID") ?? "",
    toolName: callOf(maybeText(part, "tool") ?? "", {}).tool,
    content: [{ type: "text", text: String(state[field] ?? "") }],
    isError: field === "error",
    timestamp,
  };
  return [{ message, index, parts: [at] }];
}

/** Returns the field that contains a call's result; `undefined` if there is none yet. */
function resultField({ status }: Fields): "output" | "error" | undefined {
  return status === "completed" ? "output" : status === "error" ? "error" : undefined;
}

/** Returns the changes that turn OpenCode's list into the messages that hooks want to send. */
export function changesTo(
  messages: readonly unknown[],
  before: readonly Placed[],
  after: readonly Message[],
): readonly OutputChange[] {
  const shown = before.map(({ message }) => message);
  const { edited, removed, added } = compared(shown, after);
  const sets = edited.flatMap(({ at, to }) => textChanges(messages, before[at] as Placed, to));
  const gone = removed.map((at) => before[at] as Placed);
  const emptied = gone.flatMap((from) =>
    from.message.role === "toolResult" ? resultChange(messages, from, "(removed by a hook)") : [],
  );
  const cuts = gone.flatMap(({ message, index }) => (message.role === "toolResult" ? [] : [{ index }]));
  const end = (before.at(-1)?.index ?? -1) + 1;
  const adds = added.map(({ message, before: at }, nth) => ({
    index: before[at]?.index ?? end,
    message: newMessage(messages, message, nth),
  }));
  // The moves run from the end, so that lower indexes stay valid; of two additions at one index, the later one first.
  const moves = [...cuts, ...adds.reverse()].sort((one, other) => other.index - one.index);
  return [
    ...sets,
    ...emptied,
    ...moves.map((move): OutputChange => {
      const at = ["messages"];
      return "message" in move ? { at, add: move.message, before: move.index } : { at, cut: move.index };
    }),
  ];
}

function textChanges(messages: readonly unknown[], from: Placed, to: Message): readonly OutputChange[] {
  const { message, index, parts } = from;
  if (to.role === "toolResult") return resultChange(messages, from, textOf(to.content));
  if (!("content" in to) || !("content" in message)) return [];
  const [old, now] = [textsOf(message.content), textsOf(to.content)];
  // If hooks changed the number of texts, the first part gets all of them.
  const texts = old.length === now.length ? now : old.map((_, nth) => (nth === 0 ? now.join("\n\n") : ""));
  return parts.flatMap((part, nth) =>
    texts[nth] === old[nth] ? [] : [{ at: ["messages", index, "parts", part, "text"], to: texts[nth] }],
  );
}

function resultChange(messages: readonly unknown[], { index, parts: [part = 0] }: Placed, to: string): OutputChange[] {
  const one = messages[index] as { readonly parts: readonly Fields[] };
  const field = resultField(objectIn(one.parts[part] ?? {}, "state"));
  return field === undefined ? [] : [{ at: ["messages", index, "parts", part, "state", field], to }];
}

function textsOf(content: string | readonly { readonly type: string; readonly text?: unknown }[]): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
}

/**
 * Makes a user message of one that a hook added. It copies fields of the last user message, since OpenCode's messages
 * have more fields than hooks know.
 */
function newMessage(messages: readonly unknown[], message: Message, nth: number): Fields {
  const all = messages.filter(isFields).map((one) => objectIn(one, "info"));
  const like = all.findLast(({ role }) => role === "user") ?? { role: "user" };
  const id = `msg_hookline_${nth}`;
  const { sessionID } = like;
  const text = "content" in message ? textOf(message.content as string) : "";
  const part = { id: `prt_hookline_${nth}`, sessionID, messageID: id, type: "text", text, synthetic: true };
  return { info: { ...like, id }, parts: [part] };
}
