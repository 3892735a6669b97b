import * as ai from "@earendil-works/pi-ai/compat";
import type { AssistantMessage } from "@hookline/runtime/engine";
import type { EventStream } from "../provider/event-stream.ts";
import { addApi } from "../provider/pi-ai.ts";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import type { StreamClient } from "../provider/through.ts";
import type { Exports } from "./part.ts";

type Ask<R> = (model: Model, context: ExtensionContext, options?: ExtensionOptions) => R;

/**
 * Returns all exports of the `pi-ai` instance that the agent itself uses, connected to the agent. Requests of an
 * extension can use models that only the agent can reach, such as a scripted one. Requests of the agent can use a wire
 * protocol that an extension registers.
 */
export function wholeAi({ registry }: { readonly registry: ModelRegistry }): Exports {
  return {
    ...ai,
    stream: reaching(registry, ai.stream as unknown as Ask<EventStream>, "stream"),
    streamSimple: reaching(registry, ai.streamSimple as unknown as Ask<EventStream>, "streamSimple"),
    complete: reaching(registry, ai.complete as unknown as Ask<Promise<AssistantMessage>>, "complete"),
    completeSimple: reaching(registry, ai.completeSimple as unknown as Ask<Promise<AssistantMessage>>, "complete"),
    registerApiProvider(provider: Parameters<typeof ai.registerApiProvider>[0], sourceId?: string): void {
      ai.registerApiProvider(provider, sourceId);
      // The protocol's client is looked up at each request, because the extension may remove or replace that client.
      addApi(provider.api, () => ai.getApiProvider(provider.api) as StreamClient | undefined);
    },
  };
}

function reaching<N extends "stream" | "streamSimple" | "complete">(
  registry: ModelRegistry,
  own: Ask<ReturnType<ModelRegistry[N]>>,
  name: N,
): Ask<ReturnType<ModelRegistry[N]>> {
  return (model, context, options) => {
    const isOurs = ai.getApiProvider(model.api as never) === undefined || registry.client(model) !== undefined;
    return isOurs
      ? (registry[name](model, context, options) as ReturnType<ModelRegistry[N]>)
      : own(model, context, options);
  };
}
