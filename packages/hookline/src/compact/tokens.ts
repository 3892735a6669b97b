import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Usage } from "@hookline/runtime/engine";
import type { SessionProjection } from "../session/context.ts";

/** An image counts as this many characters of text. */
const IMAGE_CHARACTERS = 4800;
const CHARACTERS_PER_TOKEN = 4;

/** The size of a context in tokens. `measured` is the provider's count, the rest is estimated. */
export interface ContextSize {
  readonly tokens: number;
  /** The tokens that the provider counted; zero if no count is valid for this context. */
  readonly measured: number;
}

/** Estimates the tokens of a text, at four characters each. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Estimates the tokens of one message, at four characters each. */
export function tokensOf(message: Message): number {
  return Math.ceil(charactersOf(message) / CHARACTERS_PER_TOKEN);
}

/** Estimates the tokens of several messages. */
export function tokensOfAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/**
 * Returns the size of the next request: the provider's count for the last reply, plus an estimate of what follows it.
 * If a compaction or an edit came after that count, everything is estimated. `overhead` estimates the system prompt and
 * the tools, which a provider's count already includes.
 */
export function contextSize({ entries }: SessionProjection, overhead: () => number = () => 0): ContextSize {
  const first = firstAdded(entries);
  let after = 0;
  for (let index = entries.length - 1; index >= first; index--) {
    const entry = entries[index] as SessionProjection["entries"][number];
    // A provider's token count from before an edit describes another context.
    if (entry.sourceEntry.type === "context_edit") break;
    for (const message of entry.messages.toReversed()) {
      const measured = measuredTokens(message);
      if (measured !== undefined) return { tokens: measured + after, measured };
      after += tokensOf(message);
    }
  }
  const messages = entries.flatMap((entry) => entry.messages);
  return { tokens: tokensOfAll(messages) + overhead(), measured: 0 };
}

/** Returns the provider's token count for a reply together with its request. */
export function totalOf(usage: Usage): number {
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** Returns the index of the first entry after the last compaction; token counts before it are out of date. */
function firstAdded(entries: SessionProjection["entries"]): number {
  const head = entries[0]?.sourceEntry;
  if (head?.type !== "compaction") return 0;
  // The order is: the summary, kept entries, added entries. The first added entry's parent is the compaction.
  const added = entries.findLastIndex(({ sourceEntry }) => sourceEntry.parentId === head.id);
  return added < 0 ? entries.length : added;
}

function measuredTokens(message: Message): number | undefined {
  if (message.role !== "assistant" || !isWhole(message)) return undefined;
  const { usage } = message as Partial<AssistantMessage>;
  const total = usage === undefined ? 0 : totalOf(usage);
  return total > 0 ? total : undefined;
}

function isWhole({ stopReason }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted";
}

function charactersOf(message: Message): number {
  switch (message.role) {
    case "user":
    case "custom":
    case "toolResult":
      return charactersIn(message.content);
    case "assistant":
      return message.content.reduce((sum, block) => {
        if (block.type === "text") return sum + block.text.length;
        if (block.type === "thinking") return sum + block.thinking.length;
        return sum + block.name.length + JSON.stringify(block.arguments ?? {}).length;
      }, 0);
    case "bashExecution":
      return message.command.length + message.output.length;
    default:
      return message.summary.length;
  }
}

function charactersIn(content: string | readonly { readonly type: string; readonly text?: string }[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce(
    (sum, block) => sum + (block.type === "image" ? IMAGE_CHARACTERS : (block.text?.length ?? 0)),
    0,
  );
}
