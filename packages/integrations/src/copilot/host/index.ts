import { type BridgeHost, isPrinting } from "@hookline/bridge/kit";
import { copilotTools } from "../tools.ts";
import { events } from "./events.ts";

/** Copilot CLI as a host. Source: spec/hosts/copilot. */
export const host: BridgeHost = {
  name: "copilot",
  label: "Copilot CLI",
  recorded: "1.0.102",
  places: ["~/.copilot/hooks", "~/.copilot/config.json", "./.github/hooks"],
  servers: ["~/.copilot/mcp-config.json", "./.mcp.json", "./.github/mcp.json", "./.vscode/mcp.json"],
  movedBy: { COPILOT_HOME: "~/.copilot" },
  process: { names: ["copilot", "@github/copilot"], marks: ["COPILOT_CLI", "COPILOT_PROJECT_DIR"] },
  environment: ["COPILOT_CLI", "COPILOT_HOME", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR", "CLAUDE_PROJECT_DIR"],
  tools: copilotTools,
  asks: (_, words) => !isPrinting(words, /^(?:-p|--prompt)(?:=|$)/),
  events,
  lateStartMs: 1000,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
