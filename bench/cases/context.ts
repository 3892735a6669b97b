import type { Session } from "@hookline/runtime";
import { type BenchCase, timed, timedAsync } from "../case.ts";
import { piLane } from "./dispatch.ts";

const MESSAGES = 10_000;
const BYTES = 27_000_000;

/** A long session's conversation: prompts, replies with tool calls, results; most of its bytes are text. */
function conversation(): Message[] {
  const size = Math.floor(BYTES / MESSAGES);
  return Array.from({ length: MESSAGES }, (_, i) => {
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

interface Message {
  readonly role: string;
  content: object[];
  readonly [fact: string]: unknown;
}

const payloadOf = (messages: Message[]) => ({ messages: messages as never, systemPrompt: "" });

/** What a pass over the messages must cost at least. */
function pass(messages: readonly Message[]): number {
  let blocks = 0;
  for (const { content } of messages) blocks += content.length;
  return blocks;
}

function context(name: string, handler: (event: { messages: Message[] }) => unknown): BenchCase {
  return {
    name: `context-${name}`,
    unit: "event",
    peerName: "structuredClone",
    budget: { toPeer: 1 / 15, maxBytes: 5_000_000 },
    n: 20,
    rounds: 15,
    async open() {
      const messages = conversation();
      const session: Session = await piLane((on) => on("context", handler as never));
      let seen = 0;
      return {
        ours: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await session.emit("model.context", payloadOf(messages));
        }),
        floor: timed((times) => {
          for (let i = 0; i < times; i++) seen += pass(messages);
        }),
        peer: timed((times) => {
          for (let i = 0; i < times; i++) seen += structuredClone(messages).length;
        }),
        once: () => session.emit("model.context", payloadOf(messages)),
        close: async () => void seen,
      };
    },
  };
}

export const cases: readonly BenchCase[] = [
  {
    name: "context-none",
    unit: "event",
    peerName: "structuredClone",
    budget: { toPeer: 1 / 100_000 },
    n: 100_000,
    rounds: 9,
    async open() {
      const payload = payloadOf(conversation());
      const session = await piLane(() => {});
      let seen = 0;
      return {
        ours: timed((times) => {
          for (let i = 0; i < times; i++) if (session.emit("model.context", payload) === undefined) seen += 1;
        }),
        peer: (times) => {
          const started = process.hrtime.bigint();
          seen += structuredClone(payload.messages as Message[]).length;
          return Number(process.hrtime.bigint() - started) * times;
        },
        close: async () => void seen,
      };
    },
  },
  context("read", async ({ messages }) => {
    pass(messages);
  }),
  context("edited", async ({ messages }) => {
    (messages.at(-1) as Message).content.push({ type: "text", text: "remember" });
  }),
  context("shortened", async ({ messages }) => ({ messages: messages.slice(1000) })),
];
