import type { ProviderStreams } from "@earendil-works/pi-ai";
import { chooseFrom } from "@hookline/ground";
import { AGENT } from "./agent-name.ts";
import { wireFetch } from "./http/fetch.ts";
import type { Model, Provider } from "./provider.ts";
import { settled } from "./settle.ts";
import { type StreamClient, streamThrough } from "./through.ts";

// Each client is loaded only when needed, and by itself: the package's root costs three times as much as one client.
const apis = {
  "openai-completions": () => import("@earendil-works/pi-ai/api/openai-completions"),
  "anthropic-messages": () => import("@earendil-works/pi-ai/api/anthropic-messages"),
  "openai-responses": () => import("@earendil-works/pi-ai/api/openai-responses"),
  "azure-openai-responses": () => import("@earendil-works/pi-ai/api/azure-openai-responses"),
  "google-generative-ai": () => import("@earendil-works/pi-ai/api/google-generative-ai"),
  "google-vertex": () => import("@earendil-works/pi-ai/api/google-vertex"),
  "mistral-conversations": () => import("@earendil-works/pi-ai/api/mistral-conversations"),
} satisfies Record<string, () => Promise<ProviderStreams>>;

/** The wire protocols that a model may name as its `api`, not counting those of extensions. */
export const APIS: readonly string[] = Object.keys(apis);

const loaded = new Map<string, ProviderStreams>();

/** Loads the client of a wire protocol, so that the first request need not wait for it; `undefined` if unknown. */
export function loadApi(api: string): ProviderStreams | Promise<ProviderStreams> | undefined {
  const known = loaded.get(api);
  if (known !== undefined || !Object.hasOwn(apis, api)) return known;
  // Importing a loaded module again still runs much of Node's loader, so the client is kept.
  return apis[api as keyof typeof apis]().then((client) => {
    loaded.set(api, client);
    return client;
  });
}

const added = new Map<string, () => StreamClient | undefined>();

/** Adds a wire protocol of an extension: its client is looked up at each request, before the built-in one. */
export function addApi(api: string, client: () => StreamClient | undefined): void {
  added.set(api, client);
}

/** Reaches hosted and self-hosted models over HTTP with pi-ai's clients; sends each request exactly once. */
export function createPiAiProvider(): Provider {
  return {
    name: "pi-ai",
    stream: (request, call) =>
      settled(
        async (signal) => streamThrough(await clientOf(request.model), request, { ...call, signal }),
        request.model,
        call.signal,
      ),
  };
}

/** Returns an extension's or pi-ai's client for a model; throws if its `api` has none. */
export async function clientOf(model: Model): Promise<StreamClient> {
  const own = added.get(model.api)?.();
  if (own !== undefined) return own;
  const client = await loadApi(model.api);
  if (client !== undefined) return asAgent(client);
  const what = `The api "${model.api}" of model ${model.provider}/${model.id} is not known.`;
  throw new Error(`${what} ${chooseFrom(model.api, APIS)}`);
}

/** Protocols whose clients have no option for `fetch`. They use the global one, which the build replaces. */
const GLOBAL_FETCH = new Set(["google-generative-ai", "google-vertex"]);

/** Headers in which the bundled clients name their makers: removed, or for Google, which requires a value, replaced. */
const UNSAID: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(
    ["Arch", "Lang", "OS", "Package-Version", "Retry-Count", "Runtime", "Runtime-Version", "Timeout"].map((name) => [
      `X-Stainless-${name}`,
      null,
    ]),
  ),
  "x-goog-api-client": AGENT,
};

/** Part of keys from another program's sign-in. Such a key is refused: pi-ai's client would pose as that program. */
const OTHERS_KEY = "sk-ant-oat";

/** Returns a client that sends with the agent's `fetch`, and with headers that name only the agent. */
function asAgent(client: ProviderStreams): StreamClient {
  return {
    streamSimple(to, context, options) {
      if (to.api === "anthropic-messages" && options?.apiKey?.includes(OTHERS_KEY))
        throw new Error(
          `The key of ${to.provider} (${OTHERS_KEY}…) belongs to the sign-in of another program, and works only for requests in that program's name. Use an API key.`,
        );
      return client.streamSimple(to, context, {
        ...options,
        headers: { ...UNSAID, ...options?.headers },
        ...(!GLOBAL_FETCH.has(to.api) && { fetch: wireFetch }),
      });
    },
  };
}
