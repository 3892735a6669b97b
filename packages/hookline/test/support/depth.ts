import type { LoopbackReply } from "./loopback.ts";

/** Settings with which sub-agents can be started. */
export const WITH_TASKS = { task: { enabled: true } };

/** The call with which a model starts a sub-agent. */
export const taskCall = (more: object = {}) => ({
  name: "task",
  arguments: { description: "do the work", prompt: "Work", ...more },
});

/** Replies that are said by a sub-agent so deep; 0 is the main agent. Those above it start it and hand its reply on. */
export function atDepth(depth: number, replies: readonly LoopbackReply[]): LoopbackReply[] {
  const starts = Array.from({ length: depth }, () => ({ toolCalls: [taskCall()] }));
  const ends = Array.from({ length: depth }, () => ({ text: "handed on" }));
  return [...starts, ...replies, ...ends];
}
