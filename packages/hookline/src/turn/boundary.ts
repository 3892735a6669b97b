import { messageOf } from "@hookline/ground";
import type { SessionManager } from "../session/session.ts";
import { convertToLlm } from "../session/to-llm.ts";
import type { Core } from "./core.ts";

/** An entry that a hook wants to add to the session, as the hook wrote it. */
type Draft = { readonly type: string } & Readonly<Record<string, unknown>>;

const writers: Readonly<Record<string, (store: SessionManager, draft: Draft) => string>> = {
  custom: (store, { customType, data }) => store.appendCustomEntry(String(customType), data),
  custom_message: (store, { customType, content, display, details }) =>
    store.appendCustomMessageEntry(String(customType), content as string, display !== false, details),
  context_edit: (store, { targetId, replacement }) => {
    // A hook may give the new content itself instead of an object with `content`.
    const edit = typeof replacement === "string" || Array.isArray(replacement) ? { content: replacement } : replacement;
    return store.appendContextEdit(String(targetId), edit as null);
  },
  compaction: (store, { summary, firstKeptEntryId, details }) =>
    store.appendCompaction(String(summary), firstKeptEntryId as string | null, 0, details, true),
};

/**
 * Stores the entries that hooks want to add between turns. Reports entries that cannot be stored. Source: spec/pi.md
 * 1.2.
 */
export function storeDrafts(core: Core, drafts: readonly object[] | undefined): void {
  const stored: string[] = [];
  for (const draft of (drafts ?? []) as readonly Draft[]) {
    const write = writers[draft.type];
    try {
      if (write === undefined) throw new Error(`there is no entry of the type "${draft.type}"`);
      stored.push(write(core.store, draft));
    } catch (thrown) {
      core.tell({ type: "notice", level: "warning", text: `A hook's entry was not stored: ${messageOf(thrown)}` });
    }
  }
  for (const id of stored) tellEntry(core, id);
}

/** Announces a session entry that has no event of its own. */
export function tellEntry({ store, tell }: Pick<Core, "store" | "tell">, id: string): void {
  const entry = store.getEntry(id);
  if (entry !== undefined) tell({ type: "entry_appended", entry });
}

/** Returns the conversation for hooks on `turn.end` and `agent.before-settle`. Source: spec/pi.md 1.2. */
export function boundaryContext(core: Core): object {
  const { entries, messages } = core.store.buildSessionProjection();
  const pendingMessages = core.queues.coming;
  return {
    canContinue: canContinue(core) || pendingMessages.length > 0,
    contextEntries: entries,
    contextMessages: messages,
    llmMessages: convertToLlm(messages),
    pendingMessages,
  };
}

/** Whether a model could answer the conversation now: its last message is not the model's own. */
export function canContinue({ store }: Core): boolean {
  const last = store.sharedProjection().messages.at(-1);
  return last !== undefined && last.role !== "assistant";
}
