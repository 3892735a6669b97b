import { messageOf } from "@hookline/ground";
import { type LlmTransport, type Message, textOf } from "@hookline/runtime";
import type { AssistantMessage, LlmCall, LlmReport, Usage } from "@hookline/runtime/engine";
import { tokensOfAll, tokensOfText } from "../compact/tokens.ts";
import { streamedAside } from "../hook/watch.ts";
import { knownProvider } from "../provider/known.ts";
import type { Model, StreamEvent } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import { isOverflow } from "../provider/retry.ts";
import type { Tool } from "../tool/tool.ts";
import type { Agent } from "./agent.ts";
import { type AskModel, investigate } from "./investigate.ts";
import { judgeGuards } from "./judge-guards.ts";

/** The kind of the usage entries in the session that count the tokens of model calls for hooks and rules. */
const KIND = "judge";

/** The read-only tools of a judge, made at their first use, and the folder that they work in. */
export interface Sight {
  readonly cwd: string;
  tools(): readonly Tool[];
}

/**
 * Makes the transport for model calls outside the conversation. They use the session's provider. These calls fire no
 * hooks, except for the tool calls of an investigating judge. The session records the tokens of each request, including
 * failed ones.
 */
export function llmOf(late: { agent?: Agent }, registry: ModelRegistry, sight: Sight): LlmTransport {
  const guards = judgeGuards(late);
  return {
    async complete(call) {
      const reply = await askingOf(
        late,
        registry,
        call,
        call.json === true,
      )([{ role: "user", content: call.prompt, timestamp: Date.now() }], []);
      return "ok" in reply ? reply : { ok: true, text: textOf(reply.content), usage: reply.usage };
    },
    investigate: (call) =>
      investigate(askingOf(late, registry, call), call, {
        tools: sight.tools(),
        guards,
        context: { cwd: sight.cwd, model: late.agent?.core.model },
      }),
  };
}

/** Returns the function that sends the requests of one model call for a hook or rule, with one model and deadline. */
function askingOf(late: { agent?: Agent }, registry: ModelRegistry, call: LlmCall, isJson = false): AskModel {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
  return async (messages, tools) => {
    const core = late.agent?.core;
    if (core === undefined) return { ok: false, cause: "no-model", message: "no model is chosen yet" };
    const model: Model =
      call.model === undefined
        ? core.model
        : (registry.find(core.model.provider, call.model) ?? { ...core.model, id: call.model });
    if (model.contextWindow > 0 && tokensOfText(call.system) + tokensOfAll(messages) > model.contextWindow)
      return { ok: false, cause: "too-large", message: `it does not fit into ${model.contextWindow} tokens` };
    try {
      const apiKey = await registry.getApiKey(core.model);
      const events = streamedAside(
        core.hooks,
        core.provider,
        {
          model,
          systemPrompt: call.system,
          messages: [...messages] as Message[],
          tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
          temperature: call.temperature,
          maxTokens: call.maxTokens,
          ...(isJson && jsonBody(model)),
        },
        { signal, purpose: "hook", ...(apiKey !== undefined && { apiKey }) },
      );
      const last = await endOf(events);
      if (last === undefined) return { ok: false, cause: "failed", message: "the provider ended without a reply" };
      const message = last.type === "done" ? last.message : last.error;
      if (tokensOf(message.usage) > 0) core.store.appendUsage(KIND, model.provider, model.id, message.usage);
      if (isOverflow(message, model.contextWindow))
        return { ok: false, cause: "too-large", message: message.errorMessage ?? "the provider cut the request" };
      if (last.type === "done") return last.message;
      return failure(last.reason, message, deadline.aborted ? call.timeoutMs : undefined);
    } catch (thrown) {
      return { ok: false, cause: "failed", message: messageOf(thrown) };
    }
  };
}

/** Returns the fields of a request that make a hosted provider reply with one JSON object; `{}` if none are known. */
function jsonBody({ provider, api, baseUrl }: Model): { readonly extra?: Readonly<Record<string, unknown>> } {
  const known = knownProvider(provider);
  return known?.json !== undefined && known.api === api && known.baseUrl === baseUrl ? { extra: known.json } : {};
}

type End = Extract<StreamEvent, { readonly type: "done" | "error" }>;

async function endOf(events: AsyncIterable<StreamEvent>): Promise<End | undefined> {
  for await (const event of events) if (event.type === "done" || event.type === "error") return event;
  return undefined;
}

function failure(
  reason: "error" | "aborted",
  message: AssistantMessage,
  timedOutMs: number | undefined,
): Extract<LlmReport, { readonly ok: false }> {
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
