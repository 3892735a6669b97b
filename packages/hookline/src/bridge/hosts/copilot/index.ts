import { copilotTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** Copilot CLI. Source: spec/hosts/copilot. */
export const host: BridgeHost = {
  name: "copilot",
  label: "Copilot CLI",
  recorded: "1.0.102",
  places: ["~/.copilot/hooks", "~/.copilot/config.json", "./.github/hooks"],
  movedBy: { COPILOT_HOME: "~/.copilot" },
  environment: ["COPILOT_CLI", "COPILOT_HOME", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR", "CLAUDE_PROJECT_DIR"],
  tools: copilotTools,
  events,
  lateStartMs: 1000,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
