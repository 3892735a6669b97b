import { align } from "./align.ts";
import { type ChatMessage, chatMessage, type Kept, keptMessage, plainText } from "./chat-message.ts";
import { equal } from "./equal.ts";

/** The agent's conversation in two parts, which chat completions send as one list. */
export interface Conversation {
  readonly systemPrompt: string;
  readonly messages: readonly Kept[];
  readonly model: { readonly id: string; readonly provider: string; readonly [fact: string]: unknown };
}

/** Converts a conversation to messages of chat completions; the system prompt is first, if there is one. */
export function chatMessages({ systemPrompt, messages }: Conversation): ChatMessage[] {
  const system = systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
  return [...system, ...messages.map(chatMessage)];
}

/**
 * Returns the conversation after a hook has written its list of messages. Unchanged messages are the same objects;
 * changed ones keep what the list does not show. The texts of all `system` and `developer` messages form the system
 * prompt. `undefined` if the list contains something that the conversation cannot represent.
 */
export function putMessages(
  given: unknown,
  from: Conversation,
): Pick<Conversation, "systemPrompt" | "messages"> | undefined {
  if (!Array.isArray(given) || !given.every(isMessage)) return undefined;
  const system: string[] = [];
  const spoken: ChatMessage[] = [];
  for (const message of given) {
    if (message.role !== "system" && message.role !== "developer") {
      spoken.push(message);
      continue;
    }
    const text = Object.keys(message).length === 2 ? plainText(message.content) : undefined;
    if (text === undefined) return undefined;
    system.push(text);
  }
  const shown = from.messages.map(chatMessage);
  const sources = sourcesOf(shown, spoken);
  const kept: Kept[] = [];
  for (const [at, message] of spoken.entries()) {
    const source = from.messages[sources[at] as number];
    const same = source !== undefined && equal(shown[sources[at] as number], message);
    const around = {
      timestamp: timeOf(kept.at(-1)),
      model: from.model,
      toolName: (id: string) => toolNameIn(spoken, id),
    };
    const one = same ? source : keptMessage(message, source, around);
    if (one === undefined) return undefined;
    kept.push(one);
  }
  const untouched = kept.length === from.messages.length && kept.every((message, i) => message === from.messages[i]);
  return { systemPrompt: system.join("\n\n"), messages: untouched ? from.messages : kept };
}

/** Returns for each message of a hook's list the index of the agent's message that it was made from, or -1. */
function sourcesOf(shown: readonly ChatMessage[], given: readonly ChatMessage[]): Int32Array {
  const sources = align(shown, given, equal, canonical);
  let from = 0;
  for (let at = 0; at < given.length; ) {
    if (sources[at] !== -1) {
      from = (sources[at++] as number) + 1;
      continue;
    }
    let end = at;
    while (end < given.length && sources[end] === -1) end += 1;
    const to = end < given.length ? (sources[end] as number) : shown.length;
    pair(shown, given, { from, to, at, end }, sources);
    at = end;
  }
  return sources;
}

interface Gap {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly end: number;
}

/**
 * Pairs neighbouring messages that a hook has changed with the messages they were made from: one by one if count and
 * roles are the same, else by the ids of tool calls.
 */
function pair(shown: readonly ChatMessage[], given: readonly ChatMessage[], gap: Gap, sources: Int32Array): void {
  const { from, to, at, end } = gap;
  const alike = to - from === end - at && given.slice(at, end).every((message, i) => akin(shown[from + i], message));
  let next = from;
  for (let i = at; i < end; i++) {
    if (alike) {
      sources[i] = from + i - at;
      continue;
    }
    const ids = callIds(given[i] as ChatMessage);
    if (ids === "") continue;
    for (let j = next; j < to; j++) {
      if (callIds(shown[j] as ChatMessage) !== ids || shown[j]?.role !== given[i]?.role) continue;
      sources[i] = j;
      next = j + 1;
      break;
    }
  }
}

function akin(a: ChatMessage | undefined, b: ChatMessage): boolean {
  return a?.role === b.role && a.tool_call_id === b.tool_call_id;
}

function callIds({ tool_call_id: id, tool_calls: calls }: ChatMessage): string {
  if (typeof id === "string") return id;
  return Array.isArray(calls)
    ? calls.map((call) => String((call as { readonly id?: unknown } | null)?.id)).join("\n")
    : "";
}

function toolNameIn(messages: readonly ChatMessage[], id: string): string | undefined {
  for (const { tool_calls: calls } of messages)
    if (Array.isArray(calls)) for (const call of calls) if (call?.id === id) return call?.function?.name;
  return undefined;
}

function timeOf(message: Kept | undefined): number {
  return (message as { readonly timestamp?: number } | undefined)?.timestamp ?? 0;
}

function isMessage(value: unknown): value is ChatMessage {
  return typeof value === "object" && value !== null && typeof (value as { role?: unknown }).role === "string";
}

/** Returns JSON with sorted keys, so that equal messages have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
