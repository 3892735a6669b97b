import type { AssistantMessage } from "@hookline/runtime";
import type { ProviderRequest } from "../provider/provider.ts";
import { classifyFailure } from "../provider/retry.ts";
import { ask, type Run } from "./core.ts";
import { stream } from "./request.ts";
import { conclude } from "./say.ts";

/**
 * Sends a request, again after a pause when the provider's trouble may pass.
 * A failed reply is stored as it was, and left out of the next request by the session's context.
 */
export async function streamWithRetry(run: Run, request: ProviderRequest): Promise<AssistantMessage> {
  const { core, signal } = run;
  const { maxRetries, baseDelayMs } = core.settings.retry;
  let attempt = 0;
  for (;;) {
    const reply = await stream(run, request);
    const transient = classifyFailure(reply, core.model.contextWindow) === "transient" && !signal.aborted;
    if (!transient || attempt >= maxRetries) {
      if (attempt > 0) await end(run, attempt, reply.stopReason !== "error", reply.errorMessage);
      return reply;
    }
    attempt += 1;
    const delayMs = baseDelayMs * 2 ** (attempt - 1);
    const about = { attempt, maxAttempts: maxRetries, delayMs, errorMessage: reply.errorMessage ?? "" };
    await conclude(run, reply);
    core.tell({ type: "auto_retry_start", ...about });
    await ask(core, "retry.start", about);
    if (!(await pause(delayMs, signal))) {
      await end(run, attempt, false, "Retry cancelled");
      return { ...reply, stopReason: "aborted" };
    }
  }
}

async function end(run: Run, attempt: number, success: boolean, finalError: string | undefined): Promise<void> {
  const about = { success, attempt, ...(!success && finalError !== undefined && { finalError }) };
  run.core.tell({ type: "auto_retry_end", ...about });
  await ask(run.core, "retry.end", about);
}

/** Waits; false when it was aborted. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const done = (finished: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(finished);
    };
    const onAbort = (): void => done(false);
    const timer = setTimeout(() => done(true), ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
