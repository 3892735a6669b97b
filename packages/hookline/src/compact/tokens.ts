import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Usage } from "@hookline/runtime/internal";
import type { SessionProjection } from "../session/context.ts";

/** Characters that an image counts as. */
const IMAGE_CHARACTERS = 4800;
const CHARACTERS_PER_TOKEN = 4;

/** A context's size. `measured` is what the provider counted, the rest is estimated. */
export interface ContextSize {
  readonly tokens: number;
  /** Zero when no count of the provider holds for this context any more. */
  readonly measured: number;
}

/** Tokens of a text, at four characters each. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Tokens of one message, at four characters each. */
export function tokensOf(message: Message): number {
  return Math.ceil(charactersOf(message) / CHARACTERS_PER_TOKEN);
}

/** Tokens of several messages. */
export function tokensOfAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/**
 * How large the next request will be: the provider's count of the last reply and an estimate of what came after it;
 * all of it estimated when a compaction or an edit lies behind that count. `overhead` stands for the system prompt
 * and the tools, which are in a count but not in the messages.
 */
export function contextSize({ entries }: SessionProjection, overhead: () => number = () => 0): ContextSize {
  const first = firstAdded(entries);
  let after = 0;
  for (let index = entries.length - 1; index >= first; index--) {
    const entry = entries[index] as SessionProjection["entries"][number];
    // A count from before an edit describes another context.
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

/** What a reply's request and the reply itself took, as the provider counted. */
export function totalOf(usage: Usage): number {
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** The place from which on a provider's count describes the context: behind what a compaction kept. */
function firstAdded(entries: SessionProjection["entries"]): number {
  const head = entries[0]?.sourceEntry;
  if (head?.type !== "compaction") return 0;
  // What was kept stands between the summary and the first entry that was added after it.
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
