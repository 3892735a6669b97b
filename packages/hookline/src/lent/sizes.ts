import type { AssistantMessage, Usage } from "@hookline/runtime/engine";
import type { SessionEntry } from "../session/entry.ts";

export { tokensOf as estimateTokens, totalOf as calculateContextTokens } from "../compact/tokens.ts";

/** pi's default limits for compaction. */
export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 } as const;

/** Whether a context with this many tokens would be compacted. */
export function shouldCompact(
  contextTokens: number,
  contextWindow: number,
  settings: { readonly enabled: boolean; readonly reserveTokens: number } = DEFAULT_COMPACTION_SETTINGS,
): boolean {
  return settings.enabled && contextTokens > contextWindow - settings.reserveTokens;
}

/** The usage of the last reply that was neither aborted nor failed. */
export function getLastAssistantUsage(entries: readonly SessionEntry[]): Usage | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    const { stopReason, usage }: AssistantMessage = entry.message;
    if (stopReason !== "aborted" && stopReason !== "error") return usage;
  }
  return undefined;
}
