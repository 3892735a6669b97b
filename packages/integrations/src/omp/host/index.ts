import type { BridgeHost } from "@hookline/bridge/kit";
import { ompTools } from "../tools.ts";
import { events } from "./events.ts";

/** oh-my-pi as a host. It runs hooks in its own process. Source: spec/hosts/omp. */
export const host: BridgeHost = {
  name: "omp",
  label: "oh-my-pi",
  recorded: "18.2.3",
  dialect: "omp",
  places: ["~/.omp/agent/extensions/hookline-bridge.ts", "./.omp/extensions/hookline-bridge.ts"],
  // oh-my-pi also starts the MCP servers in other agents' settings.
  servers: [
    ...["~/.omp/agent", "./.omp", "."].flatMap((folder) => [`${folder}/mcp.json`, `${folder}/.mcp.json`]),
    ...["~/.claude.json", "~/.claude/mcp.json", "~/.codeium/windsurf/mcp_config.json"],
    ...["~/.cursor/mcp.json", "./.cursor/mcp.json", "./.vscode/mcp.json"],
    ...["~/.gemini/settings.json", "./.gemini/settings.json"],
    ...["~/.config/opencode/opencode.json", "./opencode.json", "./opencode.jsonc"],
  ],
  movedBy: { PI_CODING_AGENT_DIR: "~/.omp/agent" },
  process: { names: ["omp", "@oh-my-pi/pi-coding-agent"], marks: ["OMPCODE"] },
  environment: ["OMP_*", "PI_*"],
  tools: ompTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
