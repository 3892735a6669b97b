import type { Message } from "./message.ts";

/** A model, as hooks see it. */
export interface ModelRef {
  readonly id: string;
  readonly provider: string;
  readonly [fact: string]: unknown;
}

/** A tool as it is offered to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The origin of the tool: the host, the host's tools that read files, a plugin or extension, or an MCP server. */
  readonly type: "builtin" | "file" | "plugin" | "mcp";
}

/** The neutral request: a model request before it is converted to a provider's own format. */
export interface NeutralRequest {
  readonly model: ModelRef;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /**
   * Keys of a chat-completions body that no field above covers. The provider's client puts each where its own format
   * wants it.
   */
  readonly extra?: Readonly<Record<string, unknown>>;
}
