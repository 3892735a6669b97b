import type { ProviderCall } from "../provider/provider.ts";
import { ask, type Core } from "../turn/core.ts";

/** Shows a request's headers to the hooks that want to see or change them. */
export function headersFor(core: Core, signal: AbortSignal | undefined): Pick<ProviderCall, "onHeaders"> {
  if (!core.hooks.has("model.headers")) return {};
  return {
    onHeaders: async (headers) => ({
      ...((await ask(core, "model.headers", { headers }, signal)).answer.headers ?? headers),
    }),
  };
}
