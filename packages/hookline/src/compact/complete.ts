import { textOf } from "@hookline/runtime";
import type { Usage } from "@hookline/runtime/engine";
import { headersFor } from "../hook/headers.ts";
import { streamedAside } from "../hook/watch.ts";
import { pause } from "../provider/pause.ts";
import { classifyFailure } from "../provider/retry.ts";
import type { Questioned } from "./port.ts";

/** A request to a model that is not part of the conversation, such as one for a summary. */
export interface Question {
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
}

/** A model's answer to a question, and its usage. */
export interface Completion {
  readonly text: string;
  readonly usage: Usage;
}

/** The message of the error for an aborted question. */
export const COMPACTION_CANCELLED = "Compaction cancelled";

/** Sends a question to the session's model. Rejects with the provider's error, or on abort. */
export type Complete = (question: Question) => Promise<Completion>;

/**
 * Makes the function that sends questions through the session's provider, with retries after temporary errors. Hooks
 * see only the headers of these requests.
 */
export function completing(conversation: Questioned, signal: AbortSignal | undefined): Complete {
  return async ({ system, prompt, maxTokens }) => {
    const { maxRetries, baseDelayMs } = conversation.settings.retry;
    for (let attempt = 0; ; attempt++) {
      const reply = await once(conversation, signal, { system, prompt, maxTokens });
      if (reply.stopReason === "aborted" || signal?.aborted) throw new Error(COMPACTION_CANCELLED);
      if (reply.stopReason !== "error") {
        const text = textOf(reply.content).trim();
        if (reply.content.some(({ type }) => type === "toolCall")) throw new Error("the model called a tool instead");
        if (text === "") throw new Error("the model gave no text");
        return { text, usage: reply.usage };
      }
      const transient = classifyFailure(reply) === "transient";
      if (!transient || attempt >= maxRetries || !(await pause(baseDelayMs * 2 ** attempt, signal)))
        throw new Error(reply.errorMessage ?? "the provider failed");
    }
  };
}

async function once(
  conversation: Questioned,
  signal: AbortSignal | undefined,
  { system, prompt, maxTokens }: Question,
) {
  const { model, provider } = conversation;
  const apiKey = await conversation.apiKey();
  const events = streamedAside(
    conversation.hooks,
    provider,
    {
      model,
      systemPrompt: system,
      messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }],
      tools: [],
      maxTokens: model.maxTokens > 0 ? Math.min(maxTokens, model.maxTokens) : maxTokens,
      thinking: conversation.thinking,
    },
    {
      purpose: "summary",
      ...(signal !== undefined && { signal }),
      ...(apiKey !== undefined && { apiKey }),
      ...headersFor(conversation, signal),
    },
  );
  for await (const event of events) {
    if (event.type === "done") return event.message;
    if (event.type === "error") return event.error;
  }
  throw new Error(`The provider "${provider.name}" ended its stream without a final event.`);
}
