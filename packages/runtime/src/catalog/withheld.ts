import type { Message, TextBlock, ToolCallBlock } from "./message.ts";

/**
 * A message with one text in the place of everything it says. A reply's calls stay, since each has to have its result;
 * what they ask for is a guard's business.
 */
export function withheldMessage(message: Message, because: string): Message {
  const text: TextBlock = { type: "text", text: because };
  switch (message.role) {
    case "user":
      return { ...message, content: [text] };
    case "assistant": {
      const calls = message.content.filter((block): block is ToolCallBlock => block.type === "toolCall");
      return { ...message, content: [text, ...calls] };
    }
    case "toolResult":
    case "custom":
      return { ...message, content: [text], details: {} };
    case "bashExecution": {
      const { fullOutputPath: _, ...rest } = message;
      return { ...rest, command: "", output: because };
    }
    default:
      return { ...message, summary: because };
  }
}
