import type { Message } from "@hookline/runtime";
import {
  type AssistantMessage,
  type BranchSummaryMessage,
  type CompactionSummaryMessage,
  commandText,
  FRAMES,
  type ToolResultMessage,
  type UserMessage,
} from "@hookline/runtime/engine";
import { textIn } from "./text.ts";

/** A message with one of the three roles that providers know. */
export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage;

/**
 * Converts messages for providers: all except the assistant's and the tools' become the user's. Messages of unknown
 * roles, and commands that were kept out of the context, are left out.
 */
export function convertToLlm(messages: readonly Message[]): LlmMessage[] {
  const converted: LlmMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
      case "assistant":
      case "toolResult":
        converted.push(message);
        break;
      case "bashExecution":
        if (!message.excludeFromContext) converted.push(asUser(commandText(message), message.timestamp));
        break;
      case "custom":
        if (typeof message.content === "string") converted.push(asUser(message.content, message.timestamp));
        else converted.push({ role: "user", content: message.content, timestamp: message.timestamp });
        break;
      case "branchSummary":
      case "compactionSummary":
        converted.push(asUser(framed(message), message.timestamp));
        break;
      default:
        message satisfies never;
    }
  }
  return converted;
}

const TOOL_RESULT_CHARACTERS = 2000;

/**
 * Formats a conversation as one text for a summary, so that the model does not try to continue it. Tool results are cut
 * to 2,000 characters. Other roles than the three of `LlmMessage` are left out; convert them first.
 */
export function serializeConversation(messages: readonly Message[]): string {
  const parts: string[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      const text = textIn(message.content, "");
      if (text) parts.push(`[User]: ${text}`);
    } else if (message.role === "assistant") {
      parts.push(...assistantParts(message));
    } else if (message.role === "toolResult") {
      const text = textIn(message.content, "");
      if (text) parts.push(`[Tool result]: ${cut(text)}`);
    }
  }
  return parts.join("\n\n");
}

function assistantParts({ content }: AssistantMessage): string[] {
  const thinking: string[] = [];
  const calls: string[] = [];
  for (const block of content) {
    if (block.type === "thinking") thinking.push(block.thinking);
    else if (block.type === "toolCall") {
      const fields = Object.entries(block.arguments ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      calls.push(`${block.name}(${fields.join(", ")})`);
    }
  }
  const parts: string[] = [];
  if (thinking.length > 0) parts.push(`[Assistant thinking]: ${thinking.join("\n")}`);
  if (content.some((block) => block.type === "text")) parts.push(`[Assistant]: ${textIn(content, "\n")}`);
  if (calls.length > 0) parts.push(`[Assistant tool calls]: ${calls.join("; ")}`);
  return parts;
}

function framed({ role, summary }: BranchSummaryMessage | CompactionSummaryMessage): string {
  return FRAMES[role].before + summary + FRAMES[role].after;
}

function asUser(text: string, timestamp: number): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp };
}

function cut(text: string): string {
  if (text.length <= TOOL_RESULT_CHARACTERS) return text;
  return `${text.slice(0, TOOL_RESULT_CHARACTERS)}\n\n[... ${text.length - TOOL_RESULT_CHARACTERS} more characters truncated]`;
}
