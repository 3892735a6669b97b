import type { LoopbackReply, LoopbackRequest } from "../../packages/hookline/test/support/loopback.ts";

const CALLS: readonly NonNullable<LoopbackReply["toolCalls"]>[] = [
  [{ name: "read", arguments: { path: "notes.md" } }],
  [{ name: "bash", arguments: { command: "echo one; echo two >&2" } }],
  [
    { name: "ls", arguments: {} },
    { name: "grep", arguments: { pattern: "file", path: "notes.md" } },
  ],
];
const FAULTS: readonly LoopbackReply[] = [
  { error: { status: 529, message: "overloaded" } },
  { error: { status: 400, message: "made by the soak" } },
  { text: "this is cut off somewhere", fault: "drop" },
  { text: "this ends too early", fault: "cut" },
  { text: "this is no JSON", fault: "garbage" },
];

/**
 * Makes a model that calls tools and then answers; one in a hundred of its replies is faulty. `count` is called for
 * each faulty reply.
 */
export function soakProvider(count: () => void): (request: LoopbackRequest, index: number) => LoopbackReply {
  return ({ body }, index) => {
    if (Math.random() < 0.01) {
      count();
      return FAULTS[index % FAULTS.length] as LoopbackReply;
    }
    const last = (body as { messages: readonly { role: string }[] }).messages.at(-1);
    if (last?.role === "tool") return { text: `done ${index}`, usage: { input: 100, output: 5 } };
    return { text: "looking", toolCalls: CALLS[index % CALLS.length] as NonNullable<LoopbackReply["toolCalls"]> };
  };
}
