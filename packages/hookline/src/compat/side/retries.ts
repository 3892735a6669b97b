import type { Agent } from "@earendil-works/pi-agent-core";
import type { AssistantMessage } from "@hookline/runtime/internal";
import { pause } from "../../provider/pause.ts";
import { classifyFailure } from "../../provider/retry.ts";

const MAX_ATTEMPTS = 3;
const BASE_DELAY_MS = 2000;

type Tell = (event: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

/** Retries the failed requests of a side session whose errors are transient, like the session's own. */
export class Retries {
  readonly #agent: Agent;
  readonly #tell: Tell;
  #waiting: AbortController | undefined;

  constructor(agent: Agent, tell: Tell) {
    this.#agent = agent;
    this.#tell = tell;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Ends the wait before the next attempt, which is then not made. */
  abort(): void {
    this.#waiting?.abort();
  }

  /** Retries until the last message is a complete reply, or there are no attempts left. */
  async repeat(): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const failed = this.#last();
      if (failed === undefined || classifyFailure(failed) !== "transient") return;
      const delayMs = BASE_DELAY_MS * 2 ** (attempt - 1);
      const { errorMessage = "" } = failed;
      this.#tell({ type: "auto_retry_start", attempt, maxAttempts: MAX_ATTEMPTS, delayMs, errorMessage });
      this.#waiting = new AbortController();
      const waited = await pause(delayMs, this.#waiting.signal);
      this.#waiting = undefined;
      if (!waited) return this.#tell({ type: "auto_retry_end", success: false, attempt, finalError: errorMessage });
      this.#agent.state.messages = this.#agent.state.messages.slice(0, -1);
      await this.#agent.continue();
      this.#tell({ type: "auto_retry_end", success: this.#last()?.stopReason !== "error", attempt });
    }
  }

  #last(): AssistantMessage | undefined {
    const last = this.#agent.state.messages.at(-1);
    return last?.role === "assistant" ? (last as AssistantMessage) : undefined;
  }
}
