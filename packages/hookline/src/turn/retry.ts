import type { AssistantMessage } from "@hookline/runtime/engine";
import { compact } from "../compact/limit.ts";
import { ask } from "../hook/ask.ts";
import { pause } from "../provider/pause.ts";
import { classifyFailure } from "../provider/retry.ts";
import { tellEntry } from "./boundary.ts";
import type { Run } from "./core.ts";

/** A failed reply and its entry in the session. */
export interface FailedReply {
  readonly message: AssistantMessage;
  readonly entryId: string | null;
}

/** Chooses the remedy for a failed reply: repeat the request, compact first, or undefined for neither. */
export function remedyFor(run: Run, { message }: FailedReply): "repeat" | "compact" | undefined {
  const { core, signal } = run;
  if (signal.aborted || message.stopReason !== "error") return undefined;
  const kind = classifyFailure(message, core.model.contextWindow);
  if (kind === "transient" && run.attempts < core.settings.retry.maxRetries) return "repeat";
  return kind === "overflow" && !run.overflowed && core.settings.compaction.enabled ? "compact" : undefined;
}

/**
 * Applies the remedy for a failed reply. Returns true if the loop should run again. The reply stays in the session but
 * is removed from the context. Source: spec/pi.md 5.4.
 */
export async function recover(run: Run, failed: FailedReply): Promise<boolean> {
  const remedy = remedyFor(run, failed);
  if (remedy === "repeat") return repeatLater(run, failed);
  if (remedy !== "compact") return false;
  run.overflowed = true;
  omit(run, failed);
  const outcome = await compact(run.core, { trigger: "overflow", signal: run.signal, willRetry: true });
  return outcome.state === "done" && !run.signal.aborted && !run.core.halts.hasEnded;
}

/** Announces the end of a series of retries, if there was one. */
export async function endRetries(run: Run, success: boolean, finalError?: string): Promise<void> {
  if (run.attempts === 0) return;
  const about = { success, attempt: run.attempts, ...(!success && finalError !== undefined && { finalError }) };
  run.attempts = 0;
  run.core.tell({ type: "auto_retry_end", ...about });
  await ask(run.core, "retry.end", about);
}

async function repeatLater(run: Run, failed: FailedReply): Promise<boolean> {
  const { core, signal } = run;
  const { maxRetries, baseDelayMs } = core.settings.retry;
  run.attempts += 1;
  const delayMs = baseDelayMs * 2 ** (run.attempts - 1);
  const about = {
    attempt: run.attempts,
    maxAttempts: maxRetries,
    delayMs,
    errorMessage: failed.message.errorMessage ?? "",
  };
  omit(run, failed);
  core.tell({ type: "auto_retry_start", ...about });
  await ask(core, "retry.start", about);
  run.waiting = new AbortController();
  const waited = await pause(delayMs, AbortSignal.any([signal, run.waiting.signal]));
  run.waiting = undefined;
  if (!waited) await endRetries(run, false, "Retry cancelled");
  return waited;
}

/** Removes a reply from later requests. */
function omit({ core }: Run, { entryId }: FailedReply): void {
  if (entryId !== null) tellEntry(core, core.store.appendContextEdit(entryId, null));
}
