import { type AssistantMessage, type Operation, UNWATCHED } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { errorKind } from "../provider/error-kind.ts";
import type { Provider, ProviderCall, ProviderRequest, StreamEvent } from "../provider/provider.ts";

/** Reports a request to a model to telemetry observers. The returned operation must be closed. */
export function watchRequest(hooks: Pick<HookSession, "operation">, request: ProviderRequest): Operation {
  const { model, maxTokens, temperature } = request;
  return hooks.operation({
    kind: "request",
    provider: model.provider,
    model: model.id,
    maxTokens,
    temperature,
    url: model.baseUrl,
  });
}

/** Streams a reply as part of a telemetry operation, which ends with the reply. */
export function streamed(
  operation: Operation,
  provider: Provider,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncIterable<StreamEvent> {
  if (operation === UNWATCHED) return provider.stream(request, call);
  return within(operation, () => provider.stream(request, call));
}

async function* within(operation: Operation, begin: () => AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  const events = operation.within(() => begin()[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await operation.within(() => events.next());
      if (next.done) return;
      isOver = next.value.type === "done" || next.value.type === "error";
      if (next.value.type === "done") endWith(operation, next.value.message);
      if (next.value.type === "error") endWith(operation, next.value.error);
      yield next.value;
    }
  } finally {
    operation.end({ error: "aborted" });
    if (!isOver) await events.return?.();
  }
}

function endWith(operation: Operation, reply: AssistantMessage): void {
  const { stopReason, usage, model } = reply;
  const failed = stopReason === "error" ? errorKind(reply) : stopReason === "aborted" ? "aborted" : undefined;
  const { responseId } = reply as { readonly responseId?: string };
  operation.end({ error: failed, model, responseId, finishReason: stopReason, usage });
}

/** Streams a reply as a telemetry operation of its own. The request is not part of the conversation. */
export async function* streamedAside(
  hooks: Pick<HookSession, "operation">,
  provider: Provider,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<StreamEvent> {
  const operation = watchRequest(hooks, request);
  try {
    yield* streamed(operation, provider, request, call);
  } finally {
    operation.close();
  }
}
