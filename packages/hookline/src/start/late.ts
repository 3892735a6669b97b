import type { HookSession } from "@hookline/runtime/session";
import type { Agent } from "../agent/agent.ts";

/** Holds the hooks and the agent for objects that are created before them. Keeps warnings until there is an agent. */
export class Late {
  agent?: Agent;
  hooks?: HookSession;
  readonly #warnings: string[] = [];

  /** Shows a warning, or keeps it until there is an agent. */
  readonly warn = (text: string): void => {
    if (this.agent === undefined) this.#warnings.push(text);
    else this.agent.core.tell({ type: "notice", level: "warning", text });
  };

  /** Shows the warnings that were kept until there was an agent. */
  showWarnings(): void {
    for (const text of this.#warnings.splice(0)) this.warn(text);
  }
}
