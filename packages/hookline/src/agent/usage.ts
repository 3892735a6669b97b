import type { Usage } from "@hookline/runtime/engine";
import { overhead } from "../compact/size.ts";
import { contextSize } from "../compact/tokens.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { Core } from "../turn/core.ts";

/** The use of the model's context window. The values are null if nothing was counted since the last compaction. */
export interface ContextUsage {
  readonly tokens: number | null;
  readonly contextWindow: number;
  readonly percent: number | null;
}

/** The session's use of tokens and money so far: pi's `SessionStats`. */
export interface SessionStats {
  readonly sessionFile: string | undefined;
  readonly sessionId: string;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  };
  readonly cost: number;
  readonly contextUsage: ContextUsage | undefined;
}

/** Returns how full the context is; undefined if the size of the model's window is unknown. */
export function contextUsage(core: Core): ContextUsage | undefined {
  const { store } = core;
  const { contextWindow } = core.model;
  if (contextWindow <= 0) return undefined;
  const projection = store.buildSessionProjection();
  const { tokens, measured } = contextSize(projection, () => overhead(core));
  const isCompacted = projection.entries[0]?.sourceEntry.type === "compaction";
  if (isCompacted && measured === 0) return { tokens: null, contextWindow, percent: null };
  return { tokens, contextWindow, percent: (tokens / contextWindow) * 100 };
}

/** Formats the session's use so far as one line. */
export function usageLine({ tokens, cost, contextUsage: context }: SessionStats): string {
  const cached = tokens.cacheRead + tokens.cacheWrite > 0 ? `, ${tokens.cacheRead} cached` : "";
  const share = context?.percent == null ? "" : `, context ${context.percent.toFixed(1)} %`;
  return `Tokens: ${tokens.input} in, ${tokens.output} out${cached}; cost ${cost.toFixed(4)}${share}`;
}

/** Sums the tokens and cost of all requests of a session, including requests for summaries. */
export function usageOf(entries: readonly SessionEntry[]): {
  readonly tokens: SessionStats["tokens"];
  readonly cost: number;
} {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let cost = 0;
  const add = (usage: Usage | undefined): void => {
    if (usage === undefined) return;
    for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) sum[key] += usage[key] ?? 0;
    cost += usage.cost?.total ?? 0;
  };
  for (const entry of entries) {
    if (entry.type === "usage" || entry.type === "compaction" || entry.type === "branch_summary") add(entry.usage);
    if (entry.type === "message" && entry.message.role === "assistant") add(entry.message.usage);
  }
  return { tokens: { ...sum, total: sum.input + sum.output + sum.cacheRead + sum.cacheWrite }, cost };
}

/** Counts messages, tokens and cost of the session, including those of summaries. */
export function sessionStats(core: Core): SessionStats {
  const { store } = core;
  const counts = { user: 0, assistant: 0, toolCalls: 0, toolResult: 0, total: 0 };
  const entries = store.getEntries();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    counts.total += 1;
    const { message } = entry;
    if (message.role === "user" || message.role === "toolResult") counts[message.role] += 1;
    if (message.role !== "assistant") continue;
    counts.assistant += 1;
    counts.toolCalls += message.content.filter(({ type }) => type === "toolCall").length;
  }
  return {
    sessionFile: store.getSessionFile(),
    sessionId: store.getSessionId(),
    userMessages: counts.user,
    assistantMessages: counts.assistant,
    toolCalls: counts.toolCalls,
    toolResults: counts.toolResult,
    totalMessages: counts.total,
    ...usageOf(entries),
    contextUsage: contextUsage(core),
  };
}
