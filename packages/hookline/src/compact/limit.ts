import { messageOf } from "@hookline/ground";
import type { Message } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { COMPACTION_CANCELLED } from "./complete.ts";
import { fold, foldableNow } from "./fold.ts";
import { compactFully, prepareFull } from "./full.ts";
import type { CompactionOutcome, CompactionRequest } from "./outcome.ts";
import type { Conversation } from "./port.ts";
import { compactRolling } from "./roll.ts";
import { isWorthRolling, unitsOf } from "./rolling.ts";
import { limitsFor } from "./settings.ts";
import { contextTokens } from "./size.ts";

/**
 * Makes the context smaller near the limit. First replaces old tool results by notes, then compacts if necessary.
 * Returns false if the compaction fails (this is reported) or finds nothing to summarise; the caller must not try again
 * in this prompt. Source: catalog.md, "compaction".
 */
export async function keepWithinLimit(
  conversation: Conversation,
  signal: AbortSignal,
  waiting: readonly Message[] = [],
): Promise<boolean> {
  const { compaction } = conversation.settings;
  if (!compaction.enabled || conversation.model.contextWindow <= 0) return true;
  const { compactOver, foldOver } = limitsFor(compaction, conversation.model.contextWindow);
  const tokens = contextTokens(conversation, waiting);
  if (tokens <= foldOver || signal.aborted) return true;
  const foldings = foldableNow(conversation);
  if (foldings.length > 0 || tokens > compactOver) {
    if (!(await fold(conversation, foldings, "threshold", signal)) || signal.aborted) return true;
  }
  if (contextTokens(conversation, waiting) <= compactOver) return true;
  const outcome = await compact(conversation, { trigger: "threshold", signal, willRetry: false });
  return outcome.state !== "failed" && outcome.state !== "nothing";
}

/**
 * Runs one compaction with all its events, using the strategy in the settings; a person's own compaction is always
 * full. An automatic compaction has exactly one end event for each start event. If there is nothing to compact, neither
 * fires.
 */
export async function compact(conversation: Conversation, request: CompactionRequest): Promise<CompactionOutcome> {
  const { trigger } = request;
  const rolling = trigger !== "manual" && conversation.settings.compaction.strategy === "rolling";
  const work = rolling ? rollingWork(conversation, request) : fullWork(conversation, request);
  if (work === undefined) return { state: "nothing" };
  const isAutomatic = trigger !== "manual";
  conversation.tell({ type: "compaction_start", reason: trigger });
  if (isAutomatic) await ask(conversation, "compact.auto-start", { trigger });
  const outcome = await settled(work, request.signal);
  const aborted = outcome.state === "cancelled" || outcome.state === "skipped";
  const willRetry = outcome.state === "done" && request.willRetry;
  const problem = outcome.state === "failed" ? { errorMessage: outcome.error } : {};
  if (outcome.state === "failed" || outcome.state === "cancelled") {
    await ask(conversation, "compact.failed", { trigger, ...problem, aborted, willRetry, fromExtension: false });
  }
  const result = outcome.state === "done" ? outcome.result : undefined;
  if (isAutomatic) {
    await ask(conversation, "compact.auto-end", { ...(result && { result }), aborted, willRetry, ...problem });
  }
  conversation.tell({ type: "compaction_end", reason: trigger, result, aborted, willRetry, ...problem });
  return outcome;
}

type Work = () => Promise<CompactionOutcome>;

function fullWork(conversation: Conversation, request: CompactionRequest): Work | undefined {
  const preparation = prepareFull(conversation);
  return preparation && (() => compactFully(conversation, request, preparation));
}

function rollingWork(conversation: Conversation, request: CompactionRequest): Work | undefined {
  if (!isWorthRolling(unitsOf(conversation.store.buildSessionProjection()))) return undefined;
  return () => compactRolling(conversation, request);
}

async function settled(work: Work, signal: AbortSignal): Promise<CompactionOutcome> {
  try {
    return await work();
  } catch (thrown) {
    const error = messageOf(thrown);
    if (signal.aborted || error === COMPACTION_CANCELLED) return { state: "cancelled" };
    return { state: "failed", error };
  }
}
