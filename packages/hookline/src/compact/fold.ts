import { ask, type Core } from "../turn/core.ts";
import { type Folding, foldable } from "./micro.ts";
import type { CompactionTrigger } from "./outcome.ts";
import { replaceContext } from "./replace.ts";

/** The tool results that could be folded now. */
export function foldableNow(core: Core): Folding[] {
  return foldable(core.store.buildSessionProjection());
}

/**
 * Folds old tool results, without a model. What is stored stays whole; only what is shown to the model changes.
 * False when a hook also leaves out the compaction that would follow. Source: spec/jcli.md 5.
 */
export async function fold(
  core: Core,
  foldings: readonly Folding[],
  trigger: CompactionTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  const { messages } = core.store.buildSessionContext();
  const { answer } = await ask(
    core,
    "compact.before",
    {
      kind: "micro",
      trigger,
      messages,
      systemPrompt: core.systemPrompt,
      signal,
      messageCount: messages.length,
      nonSystemCount: messages.length,
      summary: "",
    },
    signal,
  );
  if (answer.skip !== undefined || answer.cancel) return answer.skip !== "all";
  for (const { entryId, content } of foldings) core.store.appendContextEdit(entryId, { content });
  const after = core.store.buildSessionContext().messages;
  const told = await ask(core, "compact.after", {
    kind: "micro",
    trigger,
    messages: after,
    fromExtension: false,
    messageCount: after.length,
    messagesArchived: foldings.length,
    summary: "",
  });
  if (told.answer.messages !== undefined) replaceContext(core.store, told.answer.messages);
  return true;
}
