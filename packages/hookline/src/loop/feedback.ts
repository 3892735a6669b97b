import { CODES } from "@hookline/runtime";
import type { Run } from "./core.ts";

/**
 * Counts a hook's wish for another try. False when the prompt's limit is reached: the reply then goes through,
 * and the person is told.
 */
export function mayRetry(run: Run): boolean {
  const { core } = run;
  const { feedbackCap } = core.settings;
  if (run.feedback < feedbackCap) {
    run.feedback += 1;
    return true;
  }
  const text = CODES.FEEDBACK_CAP.message
    .replace("{count}", String(run.feedback + 1))
    .replace("{limit}", String(feedbackCap));
  core.tell({ type: "notice", level: "warning", text });
  return false;
}

/** A hook's feedback as the message that the model gets. */
export function feedbackMessage(
  text: string,
  timestamp: number,
): { readonly role: "user"; readonly content: string; readonly timestamp: number } {
  return { role: "user", content: text, timestamp };
}
