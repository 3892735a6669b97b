import { textOf } from "../catalog/message.ts";
import { equal } from "./equal.ts";
import { readJson } from "./json.ts";
import { type Block, putText } from "./text.ts";

/** A message of the agent; further fields depend on its role. */
export interface Kept {
  readonly role: string;
}

/** A message of a chat-completions request. */
export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
}

interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface WithContent extends Kept {
  readonly content: string | readonly Block[];
}
interface Call extends Block {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
interface Image extends Block {
  readonly data: string;
  readonly mimeType: string;
}

/** Values that complete a message that a hook has written from scratch. */
export interface Around {
  /** The time of a message without a time of its own, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly model: { readonly id: string; readonly provider: string; readonly [fact: string]: unknown };
  /** Returns the name of the tool that a call was for, by the call's id. */
  toolName(callId: string): string | undefined;
}

/** Converts a message to its chat-completions form. Thinking, details and images of tool results are not shown. */
export function chatMessage(message: Kept): ChatMessage {
  switch (message.role) {
    case "assistant": {
      const { content } = message as WithContent;
      const calls = callsOf(content).map(chatCall);
      return { role: "assistant", content: textOf(content), ...(calls.length > 0 && { tool_calls: calls }) };
    }
    case "toolResult": {
      const { content, toolCallId } = message as WithContent & { readonly toolCallId: string };
      return { role: "tool", tool_call_id: toolCallId, content: textOf(content) };
    }
    default:
      return { role: "user", content: userContent(message) };
  }
}

/**
 * Merges a hook's message into the one it was made from, if any: what chat completions do not show stays. `undefined`
 * if the hook's message contains something that the agent's messages cannot represent.
 */
export function keptMessage(given: ChatMessage, from: Kept | undefined, around: Around): Kept | undefined {
  const role = ROLES.get(given.role);
  if (role === undefined || Object.keys(given).some((key) => !role.keys.includes(key))) return undefined;
  return role.read(given, from, around);
}

interface Role {
  /** The fields that may be in a message of this role; with any other field the message is not converted. */
  readonly keys: readonly string[];
  read(given: ChatMessage, from: Kept | undefined, around: Around): Kept | undefined;
}

const ROLES: ReadonlyMap<string, Role> = new Map([
  ["user", { keys: ["role", "content"], read: readUser }],
  ["assistant", { keys: ["role", "content", "tool_calls"], read: readAssistant }],
  ["tool", { keys: ["role", "content", "tool_call_id"], read: readTool }],
]);

function readUser({ content }: ChatMessage, from: Kept | undefined, { timestamp }: Around): Kept | undefined {
  const base = from !== undefined && "content" in from ? (from as WithContent) : undefined;
  const own = {
    role: "user",
    timestamp: (from as { readonly timestamp?: number } | undefined)?.timestamp ?? timestamp,
  };
  if (typeof content === "string") {
    const shown = base === undefined ? undefined : userContent(base);
    const edited = typeof shown === "string" ? putText(content, base?.content ?? "") : content;
    return Object.assign({}, base ?? own, { content: edited });
  }
  const blocks = Array.isArray(content) ? content.map(blockOf) : [undefined];
  if (blocks.includes(undefined)) return undefined;
  const hidden = typeof base?.content === "object" ? base.content.filter((block) => partOf(block) === undefined) : [];
  return Object.assign({}, base ?? own, { content: [...blocks, ...hidden] });
}

function readAssistant(
  { content, tool_calls: given }: ChatMessage,
  from: Kept | undefined,
  around: Around,
): Kept | undefined {
  const text = plainText(content ?? "");
  const calls = given === undefined ? [] : readCalls(given);
  if (text === undefined || calls === undefined) return undefined;
  const base = (from?.role === "assistant" ? from : newAssistant(around, calls.length > 0)) as WithContent;
  const before = base.content as readonly Block[];
  const had = callsOf(before);
  const kept = calls.map((call) => had.find((old) => equal(chatCall(old), chatCall(call))) ?? call);
  const texts = putText(text, before);
  const same = kept.length === had.length && kept.every((call, i) => call === had[i]);
  const blocks: readonly Block[] = same ? texts : [...texts.filter((block) => block.type !== "toolCall"), ...kept];
  return blocks === before && from !== undefined ? from : ({ ...base, content: blocks } as Kept);
}

function readTool(
  { content, tool_call_id: id }: ChatMessage,
  from: Kept | undefined,
  around: Around,
): Kept | undefined {
  const text = plainText(content);
  if (text === undefined || typeof id !== "string") return undefined;
  if (from?.role === "toolResult") {
    const base = from as WithContent;
    return { ...base, toolCallId: id, content: putText(text, base.content) } as Kept;
  }
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: around.toolName(id) ?? "",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: around.timestamp,
  } as Kept;
}

/** Returns a text, or the joined texts of a list of text parts that have no other keys; else `undefined`. */
export function plainText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.map(blockOf) : [undefined];
  return blocks.every((block) => block?.type === "text") ? textOf(blocks as readonly Block[]) : undefined;
}

function userContent(message: Kept): string | readonly unknown[] {
  const { content, summary, command, output } = message as unknown as Readonly<Record<string, unknown>>;
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const parts = content.map(partOf).filter((part) => part !== undefined);
    return parts.every(({ type }) => type === "text") ? textOf(content) : parts;
  }
  return [summary, command, output].filter((text) => typeof text === "string").join("\n");
}

function partOf(block: Block): { readonly type: string } | undefined {
  if (block.type === "text" && typeof block.text === "string") return { type: "text", text: block.text } as Block;
  if (block.type !== "image") return undefined;
  const { mimeType, data } = block as Image;
  return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } } as { readonly type: string };
}

const DATA_URL = /^data:([^;,]+);base64,([\s\S]*)$/;

function blockOf(part: unknown): Block | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, text, image_url: image } = part as Readonly<Record<string, unknown>>;
  if (type === "text" && typeof text === "string") return equal(part, { type, text }) ? { type, text } : undefined;
  const url = (image as { readonly url?: unknown } | undefined)?.url;
  const found = type === "image_url" && typeof url === "string" ? DATA_URL.exec(url) : null;
  if (found === null || !equal(part, { type, image_url: { url } })) return undefined;
  return { type: "image", mimeType: found[1], data: found[2] } as Image;
}

function callsOf(content: string | readonly Block[]): Call[] {
  return typeof content === "string" ? [] : (content.filter(({ type }) => type === "toolCall") as Call[]);
}

function chatCall({ id, name, arguments: args }: Call): ChatCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

function readCalls(given: unknown): Call[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const calls = given.map(readCall);
  return calls.includes(undefined) ? undefined : (calls as Call[]);
}

function readCall(given: unknown): Call | undefined {
  const { id, function: called } = (given ?? {}) as { readonly id?: unknown; readonly function?: unknown };
  const { name, arguments: text } = (called ?? {}) as { readonly name?: unknown; readonly arguments?: unknown };
  if (typeof id !== "string" || typeof name !== "string" || typeof text !== "string") return undefined;
  if (!equal(given, { id, type: "function", function: { name, arguments: text } })) return undefined;
  const read = readJson(text);
  if (!read.ok || typeof read.value !== "object" || read.value === null || Array.isArray(read.value)) return undefined;
  return { type: "toolCall", id, name, arguments: read.value as Call["arguments"] };
}

function newAssistant({ model, timestamp }: Around, calls: boolean): Kept {
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: [],
    api: typeof model["api"] === "string" ? model["api"] : "",
    provider: model.provider,
    model: model.id,
    usage: { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
    stopReason: calls ? "toolUse" : "stop",
    timestamp,
  } as Kept;
}
