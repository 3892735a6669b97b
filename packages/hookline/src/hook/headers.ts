import type { ProviderCall } from "../provider/provider.ts";
import { type Asker, ask } from "./ask.ts";

/** Shows a request's headers to hooks that want to see or change them. */
export function headersFor(asker: Asker, signal: AbortSignal | undefined): Pick<ProviderCall, "onHeaders"> {
  if (!asker.hooks.has("model.headers")) return {};
  return {
    onHeaders: async (headers) => ({
      ...((await ask(asker, "model.headers", { headers }, signal)).answer.headers ?? headers),
    }),
  };
}
