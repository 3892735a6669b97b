import type { Message } from "@hookline/runtime";
import type { AssistantMessage, ToolResultMessage } from "@hookline/runtime/engine";

/** The result text of a call whose run ended before its result was stored. */
export const INTERRUPTED_TEXT = "The run was interrupted before this tool call gave a result. Its effects are unknown.";

/**
 * Makes error results for the calls of the last assistant message that have none, in call order. A resumed session must
 * append them, because providers reject requests with unanswered calls.
 */
export function interruptedResults(messages: readonly Message[], now: number): ToolResultMessage[] {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const assistant = messages[last];
  if (assistant?.role !== "assistant") return [];
  return missing(assistant, messages.slice(last + 1), now);
}

/**
 * Puts the results of each assistant message directly behind it: exactly one for each call. Missing results are made
 * up, results without a call are dropped. Both occur in damaged files, and in branches from the middle of a turn.
 * Returns the same array if nothing has to change.
 */
export function pairToolCalls(messages: readonly Message[], now: number): readonly Message[] {
  if (isPaired(messages)) return messages;
  const paired: Message[] = [];
  for (let index = 0; index < messages.length; ) {
    let end = index + 1;
    while (end < messages.length && messages[end]?.role !== "assistant") end += 1;
    const turn = messages.slice(index, end);
    index = end;
    const [first, ...rest] = turn;
    const others = rest.filter((message) => message.role !== "toolResult");
    if (first?.role !== "assistant") {
      paired.push(...turn.filter((message) => message.role !== "toolResult"));
      continue;
    }
    const asked = new Set(callsOf(first).map((call) => call.id));
    const results = rest.filter((message) => message.role === "toolResult" && asked.has(message.toolCallId));
    paired.push(first, ...results, ...missing(first, results, now), ...others);
  }
  return paired;
}

/** Whether each assistant message is followed by exactly the results of its calls. */
function isPaired(messages: readonly Message[]): boolean {
  for (let index = 0; index < messages.length; ) {
    const message = messages[index++] as Message;
    if (message.role === "toolResult") return false;
    if (message.role !== "assistant") continue;
    const asked = new Set(callsOf(message).map((call) => call.id));
    const answered = new Set<string>();
    for (let next = messages[index]; next?.role === "toolResult"; next = messages[++index]) {
      if (!asked.has(next.toolCallId)) return false;
      answered.add(next.toolCallId);
    }
    if (answered.size < asked.size) return false;
  }
  return true;
}

function missing(assistant: AssistantMessage, following: readonly Message[], now: number): ToolResultMessage[] {
  const answered = new Set(
    following.map((message) => (message.role === "toolResult" ? message.toolCallId : undefined)),
  );
  return callsOf(assistant)
    .filter((call) => !answered.has(call.id))
    .map((call) => ({
      role: "toolResult",
      toolCallId: call.id,
      toolName: call.name,
      content: [{ type: "text", text: INTERRUPTED_TEXT }],
      isError: true,
      timestamp: now,
    }));
}

function callsOf({ content }: AssistantMessage) {
  return Array.isArray(content) ? content.filter((block) => block?.type === "toolCall") : [];
}
