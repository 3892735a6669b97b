import type { Message } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/internal";
import type { CallFault } from "./limits.ts";

/** A model as `models.json`, the flags and pi's extensions know it. */
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
  /** What the provider calls a level of thinking; null for a level that the model does not have. */
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>;
}

/** A JSON Schema of type `object`. */
export type ParameterSchema = {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
} & Readonly<Record<string, unknown>>;

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: ParameterSchema;
}

/** How much a model is to think before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** The neutral request: what the loop asks for, before a provider's own wire format. */
export interface ProviderRequest {
  readonly model: Model;
  readonly systemPrompt: string;
  /** Already converted for a model: roles user, assistant and toolResult only. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Keys of a chat-completions body that map to no field above; each goes where the model's api takes it. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** pi's option of this name: keys of the wire body, for the clients that take some. */
  readonly samplingParams?: Readonly<Record<string, unknown>>;
  readonly thinking?: ThinkingLevel;
}

/** What surrounds a request: who may stop it, what it is authorised with, who looks on. */
export interface ProviderCall {
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
  /** Stable id of the session, for provider-side prompt caches. */
  readonly sessionId?: string;
  /** Which script list a scripted reply is taken from; real providers ignore it. Default `turn`. */
  readonly purpose?: "turn" | "hook" | "summary";
  /** The provider's own request body just before it is sent; a returned value replaces it. */
  onWire?(body: unknown): unknown | Promise<unknown>;
  /** Request headers before they are sent; a returned record replaces them, `null` values delete. */
  onHeaders?(
    headers: Record<string, string | null>,
  ): Record<string, string | null> | Promise<Record<string, string | null>>;
  onResponse?(response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  }): void | Promise<void>;
}

/** Stream events in the field's shape (pi-ai's `AssistantMessageEvent`); `partial` is the live message so far. */
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
 * One way to reach models. A stream always ends with exactly one `done` or `error` event and never throws.
 * A tool call whose arguments were not valid JSON keeps the exact text in `invalidArguments(message)`; one that is over a
 * limit stands in `refusedCalls(message)`, and has no arguments if they are why.
 */
export interface Provider {
  readonly name: string;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<StreamEvent>;
}

/** Where a provider keeps the exact text of tool-call arguments that did not parse, by tool-call id. */
export const INVALID_ARGUMENTS: unique symbol = Symbol.for("hookline.invalid-arguments");

/** The exact arguments text of calls whose arguments were not JSON, by tool-call id. */
export function invalidArguments(message: AssistantMessage): ReadonlyMap<string, string> {
  return (message as { readonly [INVALID_ARGUMENTS]?: ReadonlyMap<string, string> })[INVALID_ARGUMENTS] ?? new Map();
}

/** Where a provider says which calls are over a limit, by tool-call id. */
export const REFUSED_CALLS: unique symbol = Symbol.for("hookline.refused-calls");

/** The calls that are over a limit and must not be run, by tool-call id. */
export function refusedCalls(message: AssistantMessage): ReadonlyMap<string, CallFault> {
  return (message as { readonly [REFUSED_CALLS]?: ReadonlyMap<string, CallFault> })[REFUSED_CALLS] ?? new Map();
}
