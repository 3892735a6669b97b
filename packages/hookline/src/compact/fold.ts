import { ask } from "../hook/ask.ts";
import { type Folding, foldable } from "./micro.ts";
import type { CompactionTrigger } from "./outcome.ts";
import type { Conversation } from "./port.ts";
import { tellAfter } from "./tell-after.ts";

/** The tool results that could be folded now. */
export function foldableNow(conversation: Conversation): Folding[] {
  return foldable(conversation.store.buildSessionProjection());
}

/**
 * Folds old tool results, without a model. The stored results stay whole; only what the model sees changes. Returns
 * false if a hook also skips the compaction that would follow. Source: spec/jcli.md 5.
 */
export async function fold(
  conversation: Conversation,
  foldings: readonly Folding[],
  trigger: CompactionTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  const { messages } = conversation.store.buildSessionContext();
  const { answer } = await ask(
    conversation,
    "compact.before",
    {
      kind: "micro",
      trigger,
      messages,
      systemPrompt: conversation.systemPrompt,
      signal,
      messageCount: messages.length,
      nonSystemCount: messages.length,
      summary: "",
    },
    signal,
  );
  if (answer.skip !== undefined || answer.cancel) return answer.skip !== "all";
  for (const { entryId, content } of foldings) conversation.store.appendContextEdit(entryId, { content });
  const after = conversation.store.buildSessionContext().messages;
  await tellAfter(conversation, {
    kind: "micro",
    trigger,
    messages: after,
    fromExtension: false,
    messageCount: after.length,
    messagesArchived: foldings.length,
    summary: "",
  });
  return true;
}
