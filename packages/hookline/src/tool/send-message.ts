import { isFields } from "@hookline/ground";
import { type Post, send } from "../mail/send.ts";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls `send_message`. */
export type SendMessageInput = { readonly to: string; readonly content: string; readonly from?: string };

/** Makes the tool that sends a message to another context. `post` is called per message: contexts may be switched. */
export function createSendMessageTool(post: () => Post): Tool<SendMessageInput> {
  return {
    name: "send_message",
    label: "send_message",
    description:
      "Send a message to another context. It is put into that context's inbox and shown there before the next prompt.",
    promptSnippet: "Send a message to another context",
    parameters: {
      type: "object",
      required: ["to", "content"],
      properties: {
        to: { type: "string", description: "Name of the context that the message is for" },
        content: { type: "string", description: "The message" },
        from: { type: "string", description: "Name of the sender (default: the current context)" },
      },
    },
    // Missing arguments become empty ones, so that chibi's own error messages appear.
    prepareArguments: (raw) => (isFields(raw) ? { to: "", content: "", ...raw } : raw),
    async execute(_toolCallId, { to, content, from }) {
      const { text, delivered } = await send(post(), { to, content, from: from || undefined });
      return { ...textResult(text), ...(!delivered && { isError: true }) };
    },
  };
}
