import { errorWords } from "../provider/error-words.ts";
import type { AgentEvent } from "../turn/event.ts";

type Retry = Extract<AgentEvent, { readonly type: "auto_retry_start" }>;

/** Formats the time until the request is sent again, and the number of the retry. */
export function retryWait({ attempt, maxAttempts, delayMs }: Retry): string {
  return `Trying again in ${Math.ceil(delayMs / 100) / 10} s (retry ${attempt} of ${maxAttempts})`;
}

/** Formats a retry with its reason, for output that does not show the reason elsewhere. */
export function retryLine(retry: Retry, whose = "The provider"): string {
  return `${whose} failed: ${errorWords(retry.errorMessage).replace(/\.$/, "")}. ${retryWait(retry)}.`;
}
