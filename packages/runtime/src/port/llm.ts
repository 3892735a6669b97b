/** One question to a model. */
export interface LlmCall {
  /** The model's name, if it is not the session's; the provider stays the session's. */
  readonly model?: string;
  readonly system: string;
  readonly prompt: string;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Whether the reply must be one JSON object; a host asks for that in its provider's own way. */
  readonly json?: true;
}

/** The model's answer, or why there is none. `too-large`: the call does not fit into the model's window. */
export type LlmReport =
  | { readonly ok: true; readonly text: string; readonly usage?: { readonly input: number; readonly output: number } }
  | {
      readonly ok: false;
      readonly cause: "no-model" | "timed-out" | "aborted" | "too-large" | "failed";
      readonly message: string;
    };

/** Makes one model call outside the agent's loop. Requests of the call itself must not fire hooks. Never rejects. */
export interface LlmTransport {
  complete(call: LlmCall): Promise<LlmReport>;
  /** Asks an agent that may read the project's files but change nothing, in at most `maxTurns` requests. */
  investigate?(call: LlmCall & { readonly maxTurns: number }): Promise<LlmReport>;
}
