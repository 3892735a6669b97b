import type { Message, ToolCallBlock } from "../catalog/message.ts";

/** A part of a message, in the form that the GenAI conventions define. */
type Part = { readonly type: string; readonly [field: string]: unknown };

type Block = Exclude<Message extends infer M ? (M extends { content: infer C } ? C : never) : never, string>[number];

/** Returns messages in the form of the GenAI conventions, as JSON text, because attributes cannot be nested. */
export function messagesText(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(messageOf));
}

/** Returns the system prompt in the form of the GenAI conventions, as JSON text. */
export function systemText(prompt: string): string {
  return JSON.stringify([{ type: "text", content: prompt }]);
}

function messageOf(message: Message): object {
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        parts: message.content.map(partOf),
        finish_reason: finishReason(message.stopReason),
      };
    case "toolResult":
      return {
        role: "tool",
        parts: [
          {
            type: "tool_call_response",
            id: message.toolCallId,
            response: message.content.map((block) => partOf(block)),
          },
        ],
      };
    default:
      return { role: "user", parts: partsIn(message) };
  }
}

function partsIn(message: Message): readonly Part[] {
  const { content } = message as { readonly content?: string | readonly Block[] };
  if (content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", content }] : content.map(partOf);
}

function partOf(block: Block | ToolCallBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text };
    case "thinking":
      return { type: "reasoning", content: block.thinking };
    case "toolCall":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.arguments };
    case "image":
      // The image's bytes are left out because of their size.
      return { type: "image", mime_type: block.mimeType };
  }
}

/** Converts the reason why a reply ended to the conventions' word. */
export function finishReason(reason: string): string {
  return reason === "toolUse" ? "tool_call" : reason === "aborted" ? "error" : reason;
}
