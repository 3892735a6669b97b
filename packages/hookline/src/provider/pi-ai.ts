import type { ProviderStreams } from "@earendil-works/pi-ai";
import { chooseFrom } from "@hookline/runtime";
import { BodyWriter, type WrittenBody } from "./http/body.ts";
import { wireFetch } from "./http/fetch.ts";
import { fetchAtOrigin } from "./http/origin.ts";
import type { Model, Provider } from "./provider.ts";
import { settled } from "./settle.ts";
import { type StreamClient, streamThrough } from "./through.ts";

// Only what a request needs is loaded: the package's root costs three times as much as one of these.
const apis = {
  "openai-completions": () => import("@earendil-works/pi-ai/api/openai-completions"),
  "anthropic-messages": () => import("@earendil-works/pi-ai/api/anthropic-messages"),
  "openai-responses": () => import("@earendil-works/pi-ai/api/openai-responses"),
  "azure-openai-responses": () => import("@earendil-works/pi-ai/api/azure-openai-responses"),
  "google-generative-ai": () => import("@earendil-works/pi-ai/api/google-generative-ai"),
  "google-vertex": () => import("@earendil-works/pi-ai/api/google-vertex"),
  "mistral-conversations": () => import("@earendil-works/pi-ai/api/mistral-conversations"),
} satisfies Record<string, () => Promise<ProviderStreams>>;

/** Those whose clients send through a `fetch` that they are given, and turn a whole body into JSON. */
const SENDS_THROUGH = new Set([
  "openai-completions",
  "anthropic-messages",
  "openai-responses",
  "azure-openai-responses",
]);

/** The wire protocols that a model may name as its `api`, apart from those that extensions bring. */
export const APIS: readonly string[] = Object.keys(apis);

const loaded = new Map<string, ProviderStreams>();

/** Loads the client of a wire protocol, so that the first request need not wait for it; `undefined` if unknown. */
export function loadApi(api: string): ProviderStreams | Promise<ProviderStreams> | undefined {
  const known = loaded.get(api);
  if (known !== undefined || !Object.hasOwn(apis, api)) return known;
  // An import of what is there already still takes many steps.
  return apis[api as keyof typeof apis]().then((client) => {
    loaded.set(api, client);
    return client;
  });
}

const added = new Map<string, () => StreamClient | undefined>();

/** Takes a wire protocol that an extension brings: its client is asked for at each request, before the built-in one. */
export function addApi(api: string, client: () => StreamClient | undefined): void {
  added.set(api, client);
}

/** Reaches hosted and self-hosted models over HTTP through pi-ai's clients; each request is sent exactly once. */
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

/** An extension's or pi-ai's client for a model; throws when nobody speaks its `api`. */
export async function clientOf(model: Model): Promise<StreamClient> {
  const own = added.get(model.api)?.();
  if (own !== undefined) return own;
  const client = await loadApi(model.api);
  if (client !== undefined && SENDS_THROUGH.has(model.api)) return sendingItself(client);
  // Google's clients take no other fetch than the global one; the build gives them one that stays at its origin.
  if (client !== undefined) return model.api === "mistral-conversations" ? stayingAtOrigin(client) : client;
  const what = `The api "${model.api}" of model ${model.provider}/${model.id} is not known.`;
  throw new Error(`${what} ${chooseFrom(model.api, APIS)}`);
}

/** A client whose requests are followed to no other origin. */
function stayingAtOrigin(client: ProviderStreams): StreamClient {
  return {
    streamSimple: (to, context, options) => client.streamSimple(to, context, { ...options, fetch: fetchAtOrigin }),
  };
}

const writer = new BodyWriter();

/** What a client sends for a body that was written already. */
const WRITTEN = '{"written":true}';

/**
 * A client whose requests the agent sends, and whose bodies it writes: when the client turns a body into JSON, all of it
 * is written, and the client is given a text in its place.
 */
function sendingItself(client: ProviderStreams): StreamClient {
  return {
    streamSimple(to, context, options) {
      let written: WrittenBody | undefined;
      return client.streamSimple(to, context, {
        ...options,
        async onPayload(payload, ...about) {
          const wanted = (await options?.onPayload?.(payload, ...about)) ?? payload;
          if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted) || "toJSON" in wanted)
            return wanted;
          return {
            ...wanted,
            // The client may have changed fields of the body until then.
            toJSON(this: object) {
              const { toJSON: _, ...body } = this as { readonly toJSON: unknown };
              written = writer.write(body);
              return { written: true };
            },
          };
        },
        fetch(url, init) {
          if (written === undefined || init?.body !== WRITTEN) return wireFetch(url, init);
          const { bytes, release } = written;
          return wireFetch(url, { ...init, body: bytes as BodyInit }, release);
        },
      });
    },
  };
}
