import type { Message } from "@hookline/runtime";
import type { Model, ProviderCall, ProviderRequest, ToolSpec } from "./provider.ts";

/** A request from an extension to a model: pi's `Context`. */
export interface ExtensionContext {
  readonly systemPrompt?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
}

/** The options of pi's `complete` and `stream` that hookline supports. */
export interface ExtensionOptions {
  readonly apiKey?: string;
  readonly signal?: AbortSignal;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly reasoning?: NonNullable<ProviderRequest["thinking"]>;
  readonly samplingParams?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly sessionId?: string;
  onPayload?(body: unknown, model: Model): unknown;
  onResponse?(response: { readonly status: number; readonly headers: Readonly<Record<string, string>> }): void;
}

/** Converts an extension's request from pi's form to hookline's. */
export function requestOf(
  model: Model,
  context: ExtensionContext,
  options: ExtensionOptions,
): [ProviderRequest, ProviderCall] {
  const { signal, apiKey, sessionId, headers, temperature, maxTokens, reasoning, samplingParams } = options;
  const request: ProviderRequest = {
    model,
    systemPrompt: context.systemPrompt ?? "",
    messages: context.messages,
    tools: context.tools ?? [],
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(reasoning !== undefined && { thinking: reasoning }),
    ...(samplingParams !== undefined && { samplingParams }),
  };
  const call: ProviderCall = {
    ...(signal !== undefined && { signal }),
    ...(apiKey !== undefined && { apiKey }),
    ...(sessionId !== undefined && { sessionId }),
    ...(headers !== undefined && { onHeaders: (given) => ({ ...given, ...headers }) }),
    ...(options.onPayload && { onWire: (body: unknown) => options.onPayload?.(body, model) }),
    ...(options.onResponse && { onResponse: (response) => options.onResponse?.(response) }),
  };
  return [request, call];
}
