import type { Content, LaneAnswer, UserMessage } from "@hookline/runtime/engine";
import { retryLimit } from "@hookline/runtime/session";
import type { LoopSettings, Run } from "./core.ts";

/** Returns the separate limit on how often hooks in Claude's settings may make the agent continue. */
export function ownLimit(settings: LoopSettings): number {
  return retryLimit(settings, "claude");
}

/**
 * Counts a retry for the hooks whose answer has `field`. Hooks in Claude's settings have a limit of their own. Returns
 * false if no limit allows a retry: then the reply is accepted, and the person is notified once for each limit.
 */
export function mayRetry(run: Run, said: readonly LaneAnswer[], field: "feedback" | "continue" = "feedback"): boolean {
  const lanes = said.flatMap(({ lane, answer }) => (answer[field] ? [lane] : []));
  return run.retries.grant(run, lanes).size > 0;
}

/** Makes a message of the user. Hooks' feedback reaches the model in the same form as typed text. */
export function userMessage(text: string, images: readonly Content[] = []): UserMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}
