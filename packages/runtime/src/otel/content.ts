import type { Message, ToolCallBlock } from "../catalog/message.ts";

/** A part of a message, in the shape that the conventions define. */
type Part = { readonly type: string; readonly [field: string]: unknown };

type Block = Exclude<Message extends infer M ? (M extends { content: infer C } ? C : never) : never, string>[number];

/** Messages in the conventions' shape, as JSON, because attributes have no structure. */
export function messagesText(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(messageOf));
}

/** The system prompt in the conventions' shape. */
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
      // The image's bytes are left out.
      return { type: "image", mime_type: block.mimeType };
  }
}

/** How a reply ended, as a word of the conventions. */
export function finishReason(reason: string): string {
  return reason === "toolUse" ? "tool_call" : reason === "aborted" ? "error" : reason;
}
