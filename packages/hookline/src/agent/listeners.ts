import { messageOf } from "@hookline/runtime/internal";
import type { AgentEvent } from "../turn/event.ts";

/** Those who are told what the agent does. A listener's fault is nobody else's. */
export class Listeners {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Lines for the person from before anybody listened. */
  readonly #unheard: AgentEvent[] = [];

  /** Tells a listener everything from now on; those who come before anything more is told hear the first lines, too. */
  add(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    for (const event of this.#unheard) listener(event);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    if (this.#listeners.size > 0) this.#unheard.length = 0;
    else if (event.type === "notice") this.#unheard.push(event);
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (thrown) {
        process.emitWarning(`A listener of the agent failed on ${event.type}: ${messageOf(thrown)}`);
      }
    }
  }
}
