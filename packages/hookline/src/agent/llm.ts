import { type LlmTransport, textOf } from "@hookline/runtime";
import { type AssistantMessage, type LlmReport, messageOf, type Usage } from "@hookline/runtime/internal";
import type { Model, StreamEvent } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Agent } from "./agent.ts";

/** How the session's entries call the tokens that went into calls for hooks and rules. */
const KIND = "judge";

/**
 * Model calls beside the conversation: through the session's provider, firing no hooks of their own.
 * The tokens that each took are noted in the session, those of failed calls included.
 */
export function llmOf(late: { agent?: Agent }, registry: ModelRegistry): LlmTransport {
  return {
    async complete(call) {
      const core = late.agent?.core;
      if (core === undefined) return { ok: false, cause: "no-model", message: "no model is chosen yet" };
      const model: Model = call.model === undefined ? core.model : { ...core.model, id: call.model };
      const deadline = AbortSignal.timeout(call.timeoutMs);
      const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
      try {
        const apiKey = await registry.getApiKey(core.model);
        const events = core.provider.stream(
          {
            model,
            systemPrompt: call.system,
            messages: [{ role: "user", content: call.prompt, timestamp: Date.now() }],
            tools: [],
            temperature: call.temperature,
            maxTokens: call.maxTokens,
          },
          { signal, purpose: "hook", ...(apiKey !== undefined && { apiKey }) },
        );
        const last = await endOf(events);
        if (last === undefined) return { ok: false, cause: "failed", message: "the provider ended without a reply" };
        const message = last.type === "done" ? last.message : last.error;
        if (tokensOf(message.usage) > 0) core.store.appendUsage(KIND, model.provider, model.id, message.usage);
        if (last.type === "done") return { ok: true, text: textOf(message.content), usage: message.usage };
        return failure(last.reason, message, deadline.aborted ? call.timeoutMs : undefined);
      } catch (thrown) {
        return { ok: false, cause: "failed", message: messageOf(thrown) };
      }
    },
  };
}

type End = Extract<StreamEvent, { readonly type: "done" | "error" }>;

async function endOf(events: AsyncIterable<StreamEvent>): Promise<End | undefined> {
  for await (const event of events) if (event.type === "done" || event.type === "error") return event;
  return undefined;
}

function failure(reason: "error" | "aborted", message: AssistantMessage, timedOutMs: number | undefined): LlmReport {
  if (timedOutMs !== undefined) return { ok: false, cause: "timed-out", message: `no reply within ${timedOutMs} ms` };
  return {
    ok: false,
    cause: reason === "aborted" ? "aborted" : "failed",
    message: message.errorMessage ?? "the provider failed",
  };
}

function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
