import { messageOf } from "@hookline/runtime/internal";
import type { AgentEvent } from "../turn/event.ts";

/** The listeners for an agent's events. An error in one affects no other. */
export class Listeners {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Listeners that only count, and show nothing to anyone. */
  readonly #watchers = new Set<(event: AgentEvent) => void>();
  /** Lines for the person that nobody has seen yet. */
  readonly #unheard: AgentEvent[] = [];

  /**
   * Calls a listener for everything from now on. A listener that `shows` lines first gets those that nobody has seen;
   * they are kept until the next event, so several such listeners may get them.
   */
  add(listener: (event: AgentEvent) => void, shows = true): () => void {
    if (!shows) {
      this.#watchers.add(listener);
      return () => this.#watchers.delete(listener);
    }
    this.#listeners.add(listener);
    for (const event of this.#unheard) listener(event);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    if (this.#listeners.size > 0) this.#unheard.length = 0;
    else if (event.type === "notice") this.#unheard.push(event);
    for (const listener of [...this.#watchers, ...this.#listeners]) {
      try {
        listener(event);
      } catch (thrown) {
        process.emitWarning(`A listener of the agent failed on ${event.type}: ${messageOf(thrown)}`);
      }
    }
  }
}
