import { textOf } from "@hookline/runtime";
import type { ToolResultMessage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { SessionProjection } from "../session/context.ts";
import type { CompactionTrigger } from "./outcome.ts";
import type { Conversation } from "./port.ts";
import { tellAfter } from "./tell-after.ts";
import { foldedText } from "./texts.ts";

/** Returns the old, long tool results that could be replaced by short notes now. */
export function foldableNow(conversation: Conversation): Folding[] {
  return foldable(conversation.store.buildSessionProjection());
}

/**
 * Replaces old tool results by short notes (folds them), without a model. The session keeps the whole results. Returns
 * false if a hook answers `skip: "all"`, so that no compaction may follow. Source: spec/jcli.md 5.
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

/** This many of the newest tool results are never replaced by notes. Source: spec/jcli.md 5. */
const KEPT_RESULTS = 10;
/** Shorter results are never replaced, because a note would save little. */
const MIN_CHARACTERS = 800;
/** Tools whose results are never replaced by notes, because they stay valid until the tool's next result. */
const EXEMPT: ReadonlySet<string> = new Set([
  "ask",
  "todo",
  "register_hook",
  "update_todos",
  "update_goals",
  "update_reflection",
  "send_message",
]);

/** The entry of an old tool result, and the note that replaces its content. */
interface Folding {
  readonly entryId: string;
  readonly content: string;
}

/** Returns the tool results to replace by notes: long, neither among the newest nor of exempt tools. */
export function foldable({ entries }: SessionProjection, kept = KEPT_RESULTS): Folding[] {
  const results: { readonly id: string; readonly message: ToolResultMessage }[] = [];
  for (const { sourceEntry, messages } of entries) {
    const [message] = messages;
    if (sourceEntry.type === "message" && message?.role === "toolResult") results.push({ id: sourceEntry.id, message });
  }
  return results.slice(0, Math.max(0, results.length - kept)).flatMap(({ id, message }): Folding[] => {
    const { toolName, content } = message;
    const isLong = [...textOf(content)].length > MIN_CHARACTERS || content.some(({ type }) => type === "image");
    return isLong && !EXEMPT.has(toolName) ? [{ entryId: id, content: foldedText(toolName) }] : [];
  });
}
