import type { SessionManager } from "../session/manager.ts";
import type { Agent } from "./agent.ts";
import { switchSession } from "./switch.ts";

/** What the built-in commands need beside the agent. */
export interface CommandServices {
  readonly cwd: string;
  /** Opens a new, empty session in the same place. */
  reopen(): SessionManager;
}

/** Adds the commands that the agent itself has. */
export function addBuiltinCommands(agent: Agent, services: CommandServices): void {
  agent.commands.set("new", {
    name: "new",
    description: "begin a new session",
    run: async () => {
      const { cancelled } = await switchSession(agent, "new", services.reopen);
      const { tell } = agent.core;
      tell({ type: "notice", level: "info", text: cancelled ? "A hook kept the session." : "New session." });
    },
  });
}
