import { isFields } from "@hookline/ground";
import type { Entry, Usage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { present } from "../session/fields.ts";
import { completing } from "./complete.ts";
import type { CompactionOutcome, CompactionRequest, CompactionResult } from "./outcome.ts";
import type { Conversation } from "./port.ts";
import { type Preparation, prepareCompaction } from "./prepare.ts";
import { limitsFor } from "./settings.ts";
import { contextTokens, overhead } from "./size.ts";
import { summarise } from "./summarise.ts";
import { tellAfter } from "./tell-after.ts";
import { tokensOfAll } from "./tokens.ts";

/** A compaction that a hook supplies. Fields that it lacks come from the `Preparation` that the hook was given. */
interface Supplied {
  readonly summary: string;
  readonly firstKeptEntryId?: unknown;
  readonly tokensBefore?: unknown;
  readonly details?: unknown;
  readonly usage?: unknown;
  readonly shortSummary?: unknown;
  readonly preserveData?: unknown;
}

type Stored = Omit<CompactionResult, "firstKeptEntryId"> & {
  readonly firstKeptEntryId: string | null;
  readonly shortSummary?: string;
  readonly preserveData?: Readonly<Record<string, unknown>>;
};

/** Plans a full compaction of the session; undefined if there is nothing to summarise. */
export function prepareFull(conversation: Conversation): Preparation | undefined {
  const settings = conversation.settings.compaction;
  return prepareCompaction(conversation.store.buildSessionProjection(), {
    keep: limitsFor(settings, conversation.model.contextWindow).keep,
    tokensBefore: contextTokens(conversation),
    settings,
  });
}

/**
 * Replaces the old part of the conversation with a summary. A hook's summary is used unchanged, otherwise the model
 * writes one. Source: catalog.md, "compaction"; spec/omp.md 4.2.
 */
export async function compactFully(
  conversation: Conversation,
  request: CompactionRequest,
  preparation: Preparation,
): Promise<CompactionOutcome> {
  const { trigger, signal } = request;
  const before = conversation.store.buildSessionContext().messages;
  const { answer } = await ask(
    conversation,
    "compact.before",
    {
      kind: "full",
      trigger,
      messages: before,
      systemPrompt: conversation.systemPrompt,
      preparation,
      branchEntries: conversation.hooks.listens("compact.before")
        ? (conversation.store.getBranch() as unknown as readonly Entry[])
        : [],
      ...(request.focus !== undefined && { customInstructions: request.focus }),
      willRetry: request.willRetry,
      signal,
      messageCount: before.length,
      nonSystemCount: before.filter(({ role }) => role !== "compactionSummary").length,
      summary: preparation.previousSummary ?? "",
    },
    signal,
  );
  if (answer.skip !== undefined) return { state: "skipped" };
  if (answer.cancel || signal.aborted) return { state: "cancelled" };
  const supplied = answer.compaction as Supplied | undefined;
  const fromHook = supplied !== undefined;
  const compaction = fromHook
    ? verbatim(supplied, preparation)
    : await written(conversation, request, preparation, answer.instructions ?? []);
  if (signal.aborted) return { state: "cancelled" };
  const entry = store(conversation, compaction, fromHook);
  const after = conversation.store.buildSessionContext().messages;
  await tellAfter(conversation, {
    kind: "full",
    trigger,
    messages: after,
    compactionEntry: entry,
    fromExtension: fromHook,
    willRetry: request.willRetry,
    messageCount: after.length,
    messagesArchived: preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length,
    summary: compaction.summary,
  });
  const result = {
    ...compaction,
    firstKeptEntryId: compaction.firstKeptEntryId ?? entry.id,
    estimatedTokensAfter: tokensOfAll(after) + overhead(conversation),
  };
  return { state: "done", result, entry, fromHook };
}

async function written(
  conversation: Conversation,
  { focus, signal }: CompactionRequest,
  preparation: Preparation,
  instructions: readonly string[],
): Promise<Stored> {
  const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
  const { answer } = await ask(
    conversation,
    "compact.prompt",
    { sessionId: conversation.store.getSessionId(), messages },
    signal,
  );
  const wishes = { focus, prompt: answer.prompt, context: answer.context, system: instructions };
  const { text, usage, details } = await summarise(preparation, wishes, completing(conversation, signal));
  const preserveData = answer.preserveData ?? preparation.previousPreserveData;
  return {
    summary: text,
    firstKeptEntryId: preparation.firstKeptEntryId,
    tokensBefore: preparation.tokensBefore,
    details,
    usage,
    ...(preserveData !== undefined && { preserveData }),
  };
}

function verbatim(given: Supplied, preparation: Preparation): Stored {
  const { firstKeptEntryId: kept, tokensBefore, details, usage, shortSummary, preserveData } = given;
  return {
    summary: given.summary,
    firstKeptEntryId: kept === null || typeof kept === "string" ? kept : preparation.firstKeptEntryId,
    tokensBefore: typeof tokensBefore === "number" ? tokensBefore : preparation.tokensBefore,
    ...present({
      details,
      usage: isFields(usage) ? (usage as unknown as Usage) : undefined,
      shortSummary: typeof shortSummary === "string" ? shortSummary : undefined,
      preserveData: isFields(preserveData) ? preserveData : undefined,
    }),
  };
}

function store({ store }: Conversation, compaction: Stored, fromHook: boolean): Entry {
  const { summary, firstKeptEntryId, tokensBefore, details, usage } = compaction;
  if (firstKeptEntryId === null) {
    const id = store.appendCompaction(summary, null, tokensBefore, details, fromHook, usage);
    return store.getEntry(id) as unknown as Entry;
  }
  const { thinkingLevel } = store.buildSessionContext();
  const fields = { type: "compaction", ...compaction, firstKeptEntryId, fromHook, thinkingLevel } as const;
  return store.append(fields) as unknown as Entry;
}
