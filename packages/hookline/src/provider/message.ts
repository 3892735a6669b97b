import type { AssistantMessage, TextBlock, ThinkingBlock, ToolCallBlock, Usage } from "@hookline/runtime/engine";
import type { Model, StreamEvent } from "./provider.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** An assistant message that a stream fills; events pass it on as `partial`, and at the end as the final message. */
export type DraftMessage = Writable<Omit<AssistantMessage, "content">> & {
  content: (Writable<TextBlock> | Writable<ThinkingBlock> | Writable<ToolCallBlock>)[];
};

/** A provider's token counts; missing ones are zero. */
export interface TokenCounts {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Returns an empty assistant message of `model`. */
export function emptyMessage(model: Model): DraftMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: usageOf(model, {}),
    stopReason: "stop",
    timestamp: Date.now(),
  };
}

/** Returns the last event of a stream that failed or was aborted, with the content that had arrived. */
export function failure(
  message: AssistantMessage,
  reason: "error" | "aborted",
  text: string,
): Extract<StreamEvent, { type: "error" }> {
  return { type: "error", reason, error: Object.assign(message, { stopReason: reason, errorMessage: text }) };
}

/** Adds the price to a request's token counts, from the model's cost per million tokens. */
export function usageOf(model: Model, tokens: TokenCounts): Usage {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = tokens;
  const cost = {
    input: (model.cost.input * input) / 1e6,
    output: (model.cost.output * output) / 1e6,
    cacheRead: (model.cost.cacheRead * cacheRead) / 1e6,
    cacheWrite: (model.cost.cacheWrite * cacheWrite) / 1e6,
  };
  const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...cost, total },
  };
}
