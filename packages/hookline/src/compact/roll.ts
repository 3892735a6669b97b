import type { Entry, Usage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { completing } from "./complete.ts";
import type { CompactionOutcome, CompactionRequest } from "./outcome.ts";
import type { Conversation } from "./port.ts";
import {
  chooseUnits,
  isWorthRolling,
  planRolling,
  type RollingPlan,
  type RollingScene,
  rollSummary,
  unitsOf,
} from "./rolling.ts";
import { contextTokens } from "./size.ts";
import { tellAfter } from "./tell-after.ts";

/**
 * Lets the model choose messages to remove, and adds their content to the summary. Source: spec/chibi.md 3, "Rolling".
 */
export async function compactRolling(
  conversation: Conversation,
  request: CompactionRequest,
): Promise<CompactionOutcome> {
  const { trigger, signal } = request;
  const units = unitsOf(conversation.store.buildSessionProjection());
  if (!isWorthRolling(units)) return { state: "nothing" };
  const { messages } = conversation.store.buildSessionContext();
  const scene = sceneOf(conversation);
  const { answer } = await ask(
    conversation,
    "compact.before",
    {
      kind: "rolling",
      trigger,
      messages,
      systemPrompt: conversation.systemPrompt,
      branchEntries: conversation.hooks.listens("compact.before")
        ? (conversation.store.getBranch() as unknown as readonly Entry[])
        : [],
      willRetry: request.willRetry,
      signal,
      messageCount: messages.length,
      nonSystemCount: messages.filter(({ role }) => role !== "compactionSummary").length,
      summary: scene.summary,
    },
    signal,
  );
  if (answer.skip !== undefined) return { state: "skipped" };
  if (answer.cancel || signal.aborted) return { state: "cancelled" };
  const complete = completing(conversation, signal);
  const plan = planRolling(units, await chooseUnits(units, scene, complete));
  if (plan === undefined) return { state: "nothing" };
  const tokensBefore = contextTokens(conversation);
  const given = answer.compaction;
  const reply = given === undefined ? await rollSummary(plan, scene, answer.instructions ?? [], complete) : undefined;
  const summary = given?.summary ?? reply?.text;
  if (summary === undefined) return { state: "nothing" };
  if (signal.aborted) return { state: "cancelled" };
  const fromHook = given !== undefined;
  const entry = store(conversation, plan, { summary, tokensBefore, fromHook, ...(reply && { usage: reply.usage }) });
  const after = conversation.store.buildSessionContext().messages;
  await tellAfter(conversation, {
    kind: "rolling",
    trigger,
    messages: after,
    compactionEntry: entry,
    fromExtension: fromHook,
    messageCount: messages.length - plan.archived.length,
    messagesArchived: plan.archived.length,
    summary,
  });
  const { firstKeptEntryId } = plan;
  return { state: "done", result: { summary, firstKeptEntryId, tokensBefore }, entry, fromHook };
}

function sceneOf({ store, scene }: Conversation): RollingScene {
  const head = store.buildSessionContext().messages[0];
  const summary = head?.role === "compactionSummary" ? head.summary : (scene.summary ?? "");
  return { summary, goals: scene.goals ?? "", todos: scene.todos ?? "" };
}

/** Stores the summary before the removals: if the process ends in between, the context is only larger than needed. */
function store(
  { store }: Conversation,
  { firstKeptEntryId, dropped }: RollingPlan,
  about: {
    readonly summary: string;
    readonly tokensBefore: number;
    readonly fromHook: boolean;
    readonly usage?: Usage;
  },
): Entry {
  const { fromHook, ...compaction } = about;
  const { thinkingLevel } = store.buildSessionContext();
  const { id } = store.append({
    type: "compaction",
    ...compaction,
    firstKeptEntryId,
    ...(fromHook && { fromHook }),
    thinkingLevel,
  });
  for (const entryId of dropped) store.appendContextEdit(entryId, null);
  return store.getEntry(id) as unknown as Entry;
}
