import type { Entry, Usage } from "@hookline/runtime";
import { ask, type Core } from "../turn/core.ts";
import { completing } from "./complete.ts";
import type { CompactionOutcome, CompactionRequest } from "./outcome.ts";
import { replaceContext } from "./replace.ts";
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

/**
 * Lets the model choose which messages leave the conversation, and writes the summary anew with them.
 * Source: spec/chibi.md 3, "Rolling".
 */
export async function compactRolling(core: Core, request: CompactionRequest): Promise<CompactionOutcome> {
  const { trigger, signal } = request;
  const units = unitsOf(core.store.buildSessionProjection());
  if (!isWorthRolling(units)) return { state: "nothing" };
  const { messages } = core.store.buildSessionContext();
  const scene = sceneOf(core);
  const { answer } = await ask(
    core,
    "compact.before",
    {
      kind: "rolling",
      trigger,
      messages,
      systemPrompt: core.systemPrompt,
      branchEntries: core.hooks.has("compact.before") ? (core.store.getBranch() as unknown as readonly Entry[]) : [],
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
  const complete = completing(core, signal);
  const plan = planRolling(units, await chooseUnits(units, scene, complete));
  if (plan === undefined) return { state: "nothing" };
  const tokensBefore = contextTokens(core);
  const given = answer.compaction;
  const reply =
    given === undefined ? await rollSummary(plan, scene, answer.instructions?.flat() ?? [], complete) : undefined;
  const summary = given?.summary ?? reply?.text;
  if (summary === undefined) return { state: "nothing" };
  if (signal.aborted) return { state: "cancelled" };
  const fromHook = given !== undefined;
  const entry = store(core, plan, { summary, tokensBefore, fromHook, ...(reply && { usage: reply.usage }) });
  const after = core.store.buildSessionContext().messages;
  const told = await ask(core, "compact.after", {
    kind: "rolling",
    trigger,
    messages: after,
    compactionEntry: entry,
    fromExtension: fromHook,
    messageCount: messages.length - plan.archived.length,
    messagesArchived: plan.archived.length,
    summary,
  });
  if (told.answer.messages !== undefined) replaceContext(core.store, told.answer.messages);
  const { firstKeptEntryId } = plan;
  return { state: "done", result: { summary, firstKeptEntryId, tokensBefore }, entry, fromHook };
}

function sceneOf({ store, scene }: Core): RollingScene {
  const head = store.buildSessionContext().messages[0];
  const summary = head?.role === "compactionSummary" ? head.summary : (scene.summary ?? "");
  return { summary, goals: scene.goals ?? "", todos: scene.todos ?? "" };
}

/** The summary comes first: were the process to end behind it, only more than needed would be left. */
function store(
  { store }: Core,
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
