import { clientOf } from "./pi-ai.ts";
import type { Provider } from "./provider.ts";
import type { ModelRegistry } from "./registry.ts";
import { settled } from "./settle.ts";
import { streamThrough } from "./through.ts";

/**
 * The provider that the agent uses: sends each request to the provider of its model. The script answers for models with
 * the api `script`, an extension's own client for its models, and pi-ai for all others. Keys and headers are looked up
 * for each request; a key in the call is used unchanged.
 */
export function createRoutedProvider(registry: ModelRegistry, script?: Provider): Provider {
  return {
    name: "hookline",
    stream(request, call) {
      const { model } = request;
      if (model.api === "script" && script !== undefined) return script.stream(request, call);
      const open = async (signal: AbortSignal) => {
        const client = registry.client(model) ?? (await clientOf(model));
        const { apiKey, headers } = await registry.authorise(model, call.apiKey);
        const authorised = { ...call, signal, ...(apiKey !== undefined && { apiKey }) };
        return streamThrough(client, { ...request, model: { ...model, headers } }, authorised);
      };
      return settled(open, model, call.signal);
    },
  };
}
