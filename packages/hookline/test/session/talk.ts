import type { AssistantMessage, ToolResultMessage, UserMessage } from "@hookline/runtime/engine";

const usage = {
  input: 10,
  output: 20,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 30,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Makes a user's message. */
export function user(text: string, timestamp = 1_700_000_000_000): UserMessage {
  return { role: "user", content: text, timestamp };
}

/** Makes an assistant's message, with calls of a tool `look` with these ids. */
export function assistant(text: string, calls: readonly string[] = [], model = "m1"): AssistantMessage {
  return {
    role: "assistant",
    content: [
      { type: "text", text },
      ...calls.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: { at: id } })),
    ],
    api: "script",
    provider: "p1",
    model,
    usage,
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    timestamp: 1_700_000_000_001,
  };
}

/** Makes the tool's result. */
export function result(toolCallId: string, text = "found"): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "look",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 1_700_000_000_002,
  };
}
