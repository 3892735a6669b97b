import type { Message } from "@hookline/runtime";
import type { AssistantMessage, ToolResultMessage } from "@hookline/runtime/engine";
import type { SessionEntry } from "../../src/session/entry.ts";
import { SessionManager } from "../../src/session/session.ts";

const usage = (totalTokens: number): AssistantMessage["usage"] => ({
  input: totalTokens,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

export const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });

export const assistant = (text: string, calls: readonly string[] = [], tokens = 0): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text },
    ...calls.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: { path: `${id}.txt` } })),
  ],
  api: "test",
  provider: "test",
  model: "test",
  usage: usage(tokens),
  stopReason: calls.length > 0 ? "toolUse" : "stop",
  timestamp: 0,
});

export const result = (id: string, text: string, toolName = "read"): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName,
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 0,
});

/** A session in memory that holds these messages. */
export function sessionOf(messages: readonly Message[]): SessionManager {
  const store = SessionManager.inMemory("/");
  for (const message of messages) store.appendMessage(message as never);
  return store;
}

/** Returns the messages that a model would see, as one short line each. */
export function shown(store: SessionManager): string[] {
  return store.buildSessionContext().messages.map((message) => {
    if ("summary" in message) return `summary: ${message.summary}`;
    const content = "content" in message ? message.content : "";
    const text =
      typeof content === "string"
        ? content
        : content.map((block) => ("text" in block ? block.text : `<${block.type}>`)).join("");
    return `${message.role}: ${text.slice(0, 40)}`;
  });
}

export const ids = (store: SessionManager): string[] => store.getEntries().map(({ id }: SessionEntry) => id);
