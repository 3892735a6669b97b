const MESSAGES = 10_000;
const BYTES = 27_000_000;

/**
 * Returns the conversation of a long session: prompts, replies with tool calls, results; most of its bytes are text.
 */
export function conversation(messages = MESSAGES, bytes = BYTES): Message[] {
  const size = Math.floor(bytes / messages);
  return Array.from({ length: messages }, (_, i) => {
    const text = `${i} `.padEnd(size, "abcdefgh ");
    if (i % 4 === 0) return { role: "user", content: [{ type: "text", text }], timestamp: i };
    if (i % 4 === 2) {
      const content = [{ type: "text", text }];
      return { role: "toolResult", toolCallId: `c${i - 1}`, toolName: "bash", content, isError: false, timestamp: i };
    }
    const call = { type: "toolCall", id: `c${i}`, name: "bash", arguments: { command: text } };
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    return {
      role: "assistant",
      content: i % 4 === 1 ? [call] : [{ type: "text", text }],
      api: "messages",
      provider: "p",
      model: "m",
      usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost },
      stopReason: "stop",
      timestamp: i,
    };
  });
}

/** The parts of a message that the handlers use. */
export interface Message {
  readonly role: string;
  content: object[];
  readonly [fact: string]: unknown;
}

/** Does the minimum work for a pass over the messages. */
export function pass(messages: readonly Message[]): number {
  let blocks = 0;
  for (const { content } of messages) blocks += content.length;
  return blocks;
}

/** Handlers of a conversation: one reads it, one edits it in place, one answers with another conversation. */
export const handlers = {
  read({ messages }: Shown): unknown {
    pass(messages);
    return undefined;
  },
  edited({ messages }: Shown): unknown {
    (messages.at(-1) as Message).content.push({ type: "text", text: "remember" });
    return undefined;
  },
  shortened: ({ messages }: Shown): unknown => ({ messages: messages.slice(1000) }),
};

export type HandlerName = keyof typeof handlers;

interface Shown {
  readonly messages: Message[];
}
