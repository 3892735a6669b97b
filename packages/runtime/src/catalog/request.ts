import type { Message } from "./message.ts";

/** A model, as hooks see it. */
export interface ModelRef {
  readonly id: string;
  readonly provider: string;
  readonly [fact: string]: unknown;
}

/** A tool as the model is offered it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Where it comes from: the host, its file tools, a plugin or extension, or an MCP server. */
  readonly type: "builtin" | "file" | "plugin" | "mcp";
}

/** The neutral request: a model request before it is put into a provider's own format. */
export interface NeutralRequest {
  readonly model: ModelRef;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /**
   * Keys of a chat-completions body that map to no field above; the provider's client puts each where its format has
   * it.
   */
  readonly extra?: Readonly<Record<string, unknown>>;
}
