import { CODES, type Content, type UserMessage } from "@hookline/runtime";
import type { Run } from "./core.ts";

/**
 * Counts a hook's wish for another try. False when the prompt's limit is reached: the reply then goes through,
 * and the person is told, once a prompt.
 */
export function mayRetry(run: Run): boolean {
  const { core } = run;
  const { feedbackCap } = core.settings;
  if (run.feedback < feedbackCap) {
    run.feedback += 1;
    return true;
  }
  if (run.capTold) return false;
  run.capTold = true;
  const text = CODES.FEEDBACK_CAP.message
    .replace("{count}", String(run.feedback + 1))
    .replace("{limit}", String(feedbackCap));
  core.tell({ type: "notice", level: "warning", text });
  return false;
}

/** Text as a message of the person's, as typed text and hooks' feedback reach the model. */
export function userMessage(text: string, images: readonly Content[] = []): UserMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}
