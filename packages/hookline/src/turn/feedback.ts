import type { Content, LaneAnswer, UserMessage } from "@hookline/runtime/engine";
import { retryLimit } from "@hookline/runtime/session";
import type { LoopSettings, Run } from "./core.ts";

/** How often the hooks of a separately counted lane may send a reply back. */
export function ownLimit(settings: LoopSettings): number {
  return retryLimit(settings, "claude");
}

/**
 * Counts hooks' requests for another try, which are in a field of their answer. Returns false if all of them have
 * reached their limit: the reply then goes through, and the person is told, once a prompt.
 */
export function mayRetry(run: Run, said: readonly LaneAnswer[], field: "feedback" | "continue" = "feedback"): boolean {
  const lanes = said.flatMap(({ lane, answer }) => (answer[field] ? [lane] : []));
  return run.retries.grant(run, lanes).size > 0;
}

/** Text as a message from the person; typed text and hooks' feedback reach the model like this. */
export function userMessage(text: string, images: readonly Content[] = []): UserMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}
