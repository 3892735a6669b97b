import type { Message } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/engine";
import type { CallFault } from "./limits.ts";

/** A model, with the fields of `models.json`, the flags and pi's extensions. */
export interface Model {
  readonly id: string;
  readonly name: string;
  /** Wire protocol: `openai-completions`, `anthropic-messages`, `openai-responses`, … or `script`. */
  readonly api: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly reasoning: boolean;
  readonly input: readonly ("text" | "image")[];
  /** Currency units per million tokens. */
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly compat?: Readonly<Record<string, unknown>>;
  /** The provider's names for thinking levels; null for a level that the model does not have. */
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>;
}

/** A JSON Schema of type `object`. */
export type ParameterSchema = {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
} & Readonly<Record<string, unknown>>;

/** The description of a tool for a model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: ParameterSchema;
}

/** How much a model should think before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** The agent's request to a model, before its conversion to a provider's wire format. */
export interface ProviderRequest {
  readonly model: Model;
  readonly systemPrompt: string;
  /** Messages with only the roles user, assistant and toolResult. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Keys of a chat-completions body without a field above; each is put where the model's api expects it. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Further keys of the body. Clients of OpenAI-compatible protocols send them; other clients may ignore them. */
  readonly samplingParams?: Readonly<Record<string, unknown>>;
  readonly thinking?: ThinkingLevel;
}

/** The context of a request: its signal, its authorisation and its callbacks. */
export interface ProviderCall {
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
  /** Stable id of the session, for caches on the provider's side. */
  readonly sessionId?: string;
  /** The purpose of the request, by which the scripted model chooses a reply. Default: `turn`. */
  readonly purpose?: "turn" | "hook" | "summary";
  /** Called with the provider's own request body just before it is sent; a returned value replaces it. */
  onWire?(body: unknown): unknown | Promise<unknown>;
  /** Called with the request headers before they are sent. A returned record replaces them; `null` deletes a header. */
  onHeaders?(
    headers: Record<string, string | null>,
  ): Record<string, string | null> | Promise<Record<string, string | null>>;
  onResponse?(response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  }): void | Promise<void>;
}

/** The events of a stream, as pi-ai's `AssistantMessageEvent`; `partial` is the message so far, which still changes. */
export type StreamEvent =
  | { readonly type: "start"; readonly partial: AssistantMessage }
  | {
      readonly type: "text_start" | "thinking_start" | "toolcall_start";
      readonly contentIndex: number;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "text_delta" | "thinking_delta" | "toolcall_delta";
      readonly contentIndex: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "text_end" | "thinking_end";
      readonly contentIndex: number;
      readonly content: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "toolcall_end";
      readonly contentIndex: number;
      readonly toolCall: {
        readonly type: "toolCall";
        readonly id: string;
        readonly name: string;
        readonly arguments: unknown;
      };
      readonly partial: AssistantMessage;
    }
  | { readonly type: "done"; readonly reason: "stop" | "length" | "toolUse"; readonly message: AssistantMessage }
  | { readonly type: "error"; readonly reason: "error" | "aborted"; readonly error: AssistantMessage };

/**
 * A way to reach models. A stream always ends with exactly one `done` or `error` event and never throws. If a call's
 * arguments were not valid JSON, `invalidArguments(message)` has their exact text. A call that exceeds a limit is in
 * `refusedCalls(message)`; arguments that exceed one are removed.
 */
export interface Provider {
  readonly name: string;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<StreamEvent>;
}

/** The property of a message with the exact text of each call's arguments that could not be parsed, by tool-call id. */
export const INVALID_ARGUMENTS: unique symbol = Symbol.for("hookline.invalid-arguments");

/** Returns the exact text of arguments that were not JSON, by tool-call id. */
export function invalidArguments(message: AssistantMessage): ReadonlyMap<string, string> {
  return (message as { readonly [INVALID_ARGUMENTS]?: ReadonlyMap<string, string> })[INVALID_ARGUMENTS] ?? new Map();
}

/** The property of a message with the fault of each call that exceeds a limit, by tool-call id. */
export const REFUSED_CALLS: unique symbol = Symbol.for("hookline.refused-calls");

/** Returns the calls that exceed a limit and must not run, by tool-call id. */
export function refusedCalls(message: AssistantMessage): ReadonlyMap<string, CallFault> {
  return (message as { readonly [REFUSED_CALLS]?: ReadonlyMap<string, CallFault> })[REFUSED_CALLS] ?? new Map();
}
