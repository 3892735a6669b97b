import type {
  Api,
  AssistantMessageEvent,
  Context,
  SimpleStreamOptions,
  TranscriptContext,
  Model as WireModel,
} from "@earendil-works/pi-ai";
import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import { normalizeContext } from "@earendil-works/pi-ai/utils/transcript";
import { isLoopback } from "./address.ts";
import { AGENT } from "./agent-name.ts";
import { argumentsLog } from "./arguments.ts";
import { isKnownWire, placeKeys } from "./body-keys.ts";
import { failure } from "./message.ts";
import type { Model, ProviderCall, ProviderRequest, StreamEvent } from "./provider.ts";

/** pi's context in two forms. Older extensions read `systemPrompt` and `tools`, newer ones the first system message. */
export type StreamContext = TranscriptContext & Pick<Context, "systemPrompt" | "tools">;

type ThinkingLevel = Exclude<NonNullable<ProviderRequest["thinking"]>, "off">;

/** A client in pi's form, as in pi-ai's API modules and in extensions' providers. */
export interface StreamClient {
  streamSimple(
    model: WireModel<Api>,
    context: StreamContext,
    options?: SimpleStreamOptions,
  ): AsyncIterable<AssistantMessageEvent>;
}

/** Sends one request through a client and passes on its events. */
export async function* streamThrough(
  client: StreamClient,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<StreamEvent, void, undefined> {
  const log = argumentsLog(parseStreamingJson);
  const options = await optionsOf(request, call);
  const { systemPrompt, messages, tools } = request as unknown as Required<Context>;
  const context: StreamContext = { ...normalizeContext({ systemPrompt, messages, tools }), systemPrompt, tools };
  // The options have the headers, from which a hook may have removed some. The client must not add the model's again.
  const model = { ...request.model, headers: undefined } as unknown as WireModel<Api>;
  for await (const event of client.streamSimple(model, context, options)) {
    if (event.type === "done" && event.reason === "deferred") {
      yield failure(
        event.message as never,
        "error",
        "The provider deferred the request, although nobody asked for that",
      );
      return;
    }
    const mapped = event as StreamEvent;
    log.see(mapped);
    if (mapped.type === "done") log.seal(mapped.message);
    if (mapped.type === "error") {
      log.seal(mapped.error);
      nameServer(mapped.error, request.model.baseUrl);
    }
    yield mapped;
  }
}

/** Adds the server's address to an error, because the clients do not say which server they could not reach. */
function nameServer(error: { errorMessage?: string | undefined }, baseUrl: string): void {
  if (error.errorMessage === "Connection error.")
    error.errorMessage = `Connection error. ${baseUrl} could not be reached; check the address, and that the server runs.`;
}

/** Whether a request asks the model to think. */
export function isThinking({ reasoning }: Model, thinking: ProviderRequest["thinking"]): thinking is ThinkingLevel {
  return reasoning && thinking !== undefined && thinking !== "off";
}

async function optionsOf(request: ProviderRequest, call: ProviderCall): Promise<SimpleStreamOptions> {
  const { model, extra = {}, thinking, samplingParams } = request;
  const adds = Object.keys(extra).length > 0;
  // The places of `extra` keys in an extension's own protocol are unknown, so its client gets them as an option.
  const parameters = adds && !isKnownWire(model.api) ? { ...samplingParams, ...extra } : samplingParams;
  const given: Record<string, string | null> = agentNamed({ "User-Agent": AGENT, ...model.headers });
  const headers = call.onHeaders === undefined ? given : agentNamed(await call.onHeaders(given));
  // A local server needs no key, but the clients refuse to start without one.
  const apiKey = call.apiKey ?? (isLoopback(model.baseUrl) ? "none" : undefined);
  return {
    // The agent's loop retries by itself, so that hooks see every attempt.
    maxRetries: 0,
    headers,
    ...(call.signal && { signal: call.signal }),
    ...(apiKey !== undefined && { apiKey }),
    ...(call.sessionId !== undefined && { sessionId: call.sessionId }),
    ...((call.onWire !== undefined || adds) && {
      onPayload: (body: unknown) => {
        const placed = adds ? placeKeys(model.api, body, extra) : body;
        return call.onWire === undefined ? placed : call.onWire(placed);
      },
    }),
    ...(call.onResponse && { onResponse: (response) => call.onResponse?.(response) }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.maxTokens !== undefined && { maxTokens: request.maxTokens }),
    ...(parameters !== undefined && { samplingParams: { ...parameters } }),
    ...(isThinking(model, thinking) && { reasoning: thinking }),
  };
}

/** Spells the user-agent header `User-Agent`: clients add it in this spelling, and would send another one as well. */
function agentNamed(headers: Record<string, string | null>): Record<string, string | null> {
  const { "User-Agent": _, ...rest } = headers;
  const other = Object.keys(rest).find((name) => name.toLowerCase() === "user-agent");
  if (other === undefined) return headers;
  const { [other]: named = null, ...others } = rest;
  return { ...others, "User-Agent": named };
}
