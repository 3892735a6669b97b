import type { HookSession } from "@hookline/runtime/session";
import type { Agent } from "../agent/agent.ts";

/** The hooks and the agent, for what is made before them, and the warnings that nobody can be shown before. */
export class Late {
  agent?: Agent;
  hooks?: HookSession;
  readonly #warnings: string[] = [];

  /** Shows a warning, or keeps it until there is an agent. */
  readonly warn = (text: string): void => {
    if (this.agent === undefined) this.#warnings.push(text);
    else this.agent.core.tell({ type: "notice", level: "warning", text });
  };

  /** Shows what was kept. */
  showWarnings(): void {
    for (const text of this.#warnings.splice(0)) this.warn(text);
  }
}
