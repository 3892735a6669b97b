import type { Message } from "@hookline/runtime";
import { textOf } from "@hookline/runtime";
import type { AssistantMessage, Usage } from "@hookline/runtime/engine";
import { summariseBranch } from "../compact/branch-summary.ts";
import type { Complete } from "../compact/complete.ts";
import { findCut } from "../compact/cut.ts";
import { type FileOperations, fileOperations } from "../compact/file-list.ts";
import type { Preparation } from "../compact/prepare.ts";
import { summarise } from "../compact/summarise.ts";
import { tokensOf } from "../compact/tokens.ts";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import { entryMessages } from "../session/context.ts";
import type { SessionEntry } from "../session/entry.ts";

type StreamFn = (
  model: Model,
  context: ExtensionContext,
  options?: ExtensionOptions,
) => Answering | PromiseLike<Answering>;
interface Answering {
  result(): Promise<AssistantMessage>;
}

/** The parts of a request for a summary; pi's functions take them as separate arguments. */
interface Asking {
  readonly model: Model;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly level?: string | undefined;
  readonly streamFn?: StreamFn | undefined;
}

interface Branches {
  getBranch(id?: string): SessionEntry[];
}

interface BranchOptions extends Omit<Asking, "level"> {
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly reserveTokens?: number;
}

const RESERVE_TOKENS = 16_384;

/** Returns the index of the first entry to keep so that about `keep` tokens of the newest entries remain. */
export function findCutPoint(entries: readonly SessionEntry[], start: number, end: number, keep: number) {
  const shown = entries.slice(0, end).map((sourceEntry) => ({ sourceEntry, messages: entryMessages(sourceEntry) }));
  const cut = findCut(shown as never, start, keep);
  return {
    firstKeptEntryIndex: cut?.first ?? start,
    turnStartIndex: cut?.turn ?? -1,
    isSplitTurn: cut?.turn !== undefined,
  };
}

/** Returns the index of the entry that started the turn of an entry; -1 if it lies before `start`. */
export function findTurnStartIndex(entries: readonly SessionEntry[], at: number, start: number): number {
  for (let index = at; index >= start; index--) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (entryMessages(entry).some(({ role }) => role !== "assistant" && role !== "toolResult")) return index;
  }
  return -1;
}

/** Returns the entries that a session leaves behind when it moves from one leaf to another. */
export function collectEntriesForBranchSummary(session: Branches, oldLeafId: string | null, targetId: string) {
  if (oldLeafId === null) return { entries: [], commonAncestorId: null };
  const old = session.getBranch(oldLeafId);
  const target = new Set(session.getBranch(targetId).map(({ id }) => id));
  const shared = old.findLastIndex(({ id }) => target.has(id));
  return { entries: old.slice(shared + 1), commonAncestorId: old[shared]?.id ?? null };
}

/** Returns the newest messages within a number of tokens (0 means all), and the files that they touched. */
export function prepareBranchEntries(entries: readonly SessionEntry[], tokenBudget = 0) {
  const messages: Message[] = [];
  let totalTokens = 0;
  for (const message of entries.flatMap((entry) => entryMessages(entry)).reverse()) {
    if (message.role === "toolResult") continue;
    const tokens = tokensOf(message);
    if (tokenBudget > 0 && totalTokens + tokens > tokenBudget) break;
    totalTokens += tokens;
    messages.unshift(message);
  }
  const fileOps: FileOperations = fileOperations(messages);
  return { messages, fileOps, totalTokens };
}

/** Makes the functions with which extensions have a model write a summary. */
export function summaryWriters({ registry }: { readonly registry: ModelRegistry }) {
  const completing =
    ({ model, apiKey, headers, signal, level, streamFn }: Asking): Complete =>
    async ({ system, prompt, maxTokens }) => {
      const context: ExtensionContext = {
        systemPrompt: system,
        messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }],
      };
      const options: ExtensionOptions = {
        maxTokens: model.maxTokens > 0 ? Math.min(maxTokens, model.maxTokens) : maxTokens,
        ...(apiKey !== undefined && { apiKey }),
        ...(headers !== undefined && { headers }),
        ...(signal !== undefined && { signal }),
        ...(level !== undefined && level !== "off" && { reasoning: level as never }),
      };
      const answering = await (streamFn ?? registry.stream.bind(registry))(model, context, options);
      const reply = await answering.result();
      if (reply.stopReason === "aborted") throw new Error("The summary was aborted");
      if (reply.stopReason === "error") throw new Error(reply.errorMessage ?? "The provider failed");
      return { text: textOf(reply.content).trim(), usage: reply.usage };
    };

  async function generateSummaryWithUsage(
    messages: readonly Message[],
    model: Model,
    reserveTokens: number,
    ...[apiKey, headers, signal, focus, previousSummary, level, streamFn]: SummaryRest
  ): Promise<{ text: string; usage: Usage }> {
    const preparation = {
      ...EMPTY,
      messagesToSummarize: messages,
      ...(previousSummary !== undefined && { previousSummary }),
      settings: { ...EMPTY.settings, reserveTokens },
    };
    const complete = completing({ model, apiKey, headers, signal, level, streamFn });
    const { text, usage } = await summarise(preparation, { focus }, complete);
    return { text, usage };
  }

  return {
    generateSummaryWithUsage,
    generateSummary: async (...given: Parameters<typeof generateSummaryWithUsage>) =>
      (await generateSummaryWithUsage(...given)).text,

    /** Summarises the messages that a prepared compaction replaces. */
    async compact(
      preparation: Preparation,
      model: Model,
      apiKey?: string,
      headers?: Readonly<Record<string, string>>,
      focus?: string,
      signal?: AbortSignal,
      level?: string,
      streamFn?: StreamFn,
    ) {
      const complete = completing({ model, apiKey, headers, signal, level, streamFn });
      const { text, usage, details } = await summarise(preparation, { focus }, complete);
      const { firstKeptEntryId, tokensBefore } = preparation;
      return { summary: text, firstKeptEntryId, tokensBefore, usage, details };
    },

    /** Summarises a branch. Errors are returned, not thrown. */
    async generateBranchSummary(entries: readonly SessionEntry[], options: BranchOptions) {
      const { model, customInstructions, replaceInstructions, reserveTokens = RESERVE_TOKENS, signal } = options;
      const maxTokens = Math.max(1, (model.contextWindow || 128_000) - reserveTokens);
      const about = { instructions: customInstructions, replace: replaceInstructions, maxTokens };
      try {
        const { summary, details, usage } = await summariseBranch(entries, about, completing(options));
        return { summary, usage, ...details };
      } catch (thrown) {
        return signal?.aborted ? { aborted: true } : { error: (thrown as Error).message };
      }
    },
  };
}

type SummaryRest = [
  apiKey?: string | undefined,
  headers?: Readonly<Record<string, string>> | undefined,
  signal?: AbortSignal | undefined,
  focus?: string | undefined,
  previousSummary?: string | undefined,
  level?: string | undefined,
  streamFn?: StreamFn | undefined,
];

const EMPTY: Preparation = {
  firstKeptEntryId: "",
  messagesToSummarize: [],
  turnPrefixMessages: [],
  recentMessages: [],
  isSplitTurn: false,
  tokensBefore: 0,
  fileOps: fileOperations([]),
  settings: { enabled: true, reserveTokens: RESERVE_TOKENS, keepRecentTokens: 20_000 } as Preparation["settings"],
};
