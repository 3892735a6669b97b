import type { Agent } from "./agent.ts";
import { switchSession } from "./switch.ts";

/** Adds the commands that the agent itself has. */
export function addBuiltinCommands(agent: Agent): void {
  agent.commands.set("new", {
    name: "new",
    description: "begin a new session",
    run: async () => {
      const { cancelled } = await switchSession(agent, "new", () => agent.openSession({ kind: "new" }));
      const { tell } = agent.core;
      tell({ type: "notice", level: "info", text: cancelled ? "A hook kept the session." : "New session." });
    },
  });
}
