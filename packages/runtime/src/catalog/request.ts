import type { Message } from "./message.ts";

/** A model as far as hooks look at it. */
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
  /** Where it comes from: the host, its file tools, or a plugin or extension. */
  readonly type: "builtin" | "file" | "plugin";
}

/** The neutral request: what is asked of a model before a provider's own wire format. */
export interface NeutralRequest {
  readonly model: ModelRef;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Keys of a chat-completions body that map to no field above; the provider puts each where its own format takes it. */
  readonly extra?: Readonly<Record<string, unknown>>;
}
