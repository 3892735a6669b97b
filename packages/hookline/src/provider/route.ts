import { clientOf } from "./pi-ai.ts";
import type { Provider } from "./provider.ts";
import type { ModelRegistry } from "./registry.ts";
import { settled } from "./settle.ts";
import { streamThrough } from "./through.ts";

/**
 * The provider that the agent talks to: each request goes where its model belongs.
 * A model with the api `script` is answered by the script, one of an extension that brings its own client by that,
 * all others by pi-ai. Keys and headers are looked up for each request; a key in the call is used as it is.
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
