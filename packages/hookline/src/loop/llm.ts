import { type LlmTransport, messageOf, textOf } from "@hookline/runtime";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Agent } from "./agent.ts";

/** Model calls for hooks: through the session's provider, firing no hooks of their own. */
export function llmOf(late: { agent?: Agent }, registry: ModelRegistry): LlmTransport {
  return {
    async complete(call) {
      const { agent } = late;
      if (agent === undefined) return { ok: false, cause: "no-model", message: "no model is chosen yet" };
      const model = call.model === undefined ? agent.core.model : { ...agent.core.model, id: call.model };
      const deadline = AbortSignal.timeout(call.timeoutMs);
      const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
      try {
        const apiKey = await registry.getApiKey(agent.core.model);
        const events = agent.core.provider.stream(
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
        for await (const event of events) {
          if (event.type === "done")
            return { ok: true, text: textOf(event.message.content), usage: event.message.usage };
          if (event.type !== "error") continue;
          if (deadline.aborted)
            return { ok: false, cause: "timed-out", message: `no reply within ${call.timeoutMs} ms` };
          return {
            ok: false,
            cause: event.reason === "aborted" ? "aborted" : "failed",
            message: event.error.errorMessage ?? "the provider failed",
          };
        }
        return { ok: false, cause: "failed", message: "the provider ended without a reply" };
      } catch (thrown) {
        return { ok: false, cause: "failed", message: messageOf(thrown) };
      }
    },
  };
}
