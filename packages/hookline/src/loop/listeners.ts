import { messageOf } from "@hookline/runtime";
import type { AgentEvent } from "./event.ts";

/** Those who are told what the agent does. A listener's fault is nobody else's. */
export class Listeners {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Lines for the person from before anybody listened. */
  readonly #unheard: AgentEvent[] = [];

  /** Tells a listener everything from now on; the first one also the lines that nobody has heard yet. */
  add(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    for (const event of this.#unheard.splice(0)) listener(event);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    if (this.#listeners.size === 0 && event.type === "notice") this.#unheard.push(event);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (thrown) {
        process.emitWarning(`A listener of the agent failed on ${event.type}: ${messageOf(thrown)}`);
      }
    }
  }
}
