/** One question to a model. */
export interface LlmCall {
  /** Overrides the model's name only; the provider stays the session's. */
  readonly model?: string;
  readonly system: string;
  readonly prompt: string;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What the model said, or why it said nothing. */
export type LlmReport =
  | { readonly ok: true; readonly text: string; readonly usage?: { readonly input: number; readonly output: number } }
  | { readonly ok: false; readonly cause: "no-model" | "timed-out" | "aborted" | "failed"; readonly message: string };

/** One model call outside the agent's loop. Its own requests must fire no hooks. Never rejects. */
export interface LlmTransport {
  complete(call: LlmCall): Promise<LlmReport>;
  /** The same by an agent that may look at the project's files and change nothing, in at most `maxTurns` requests. */
  investigate?(call: LlmCall & { readonly maxTurns: number }): Promise<LlmReport>;
}
