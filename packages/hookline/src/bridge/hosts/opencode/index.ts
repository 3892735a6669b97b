import { opencodeTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** OpenCode, which runs plugins in its own process. Source: spec/hosts/opencode. */
export const host: BridgeHost = {
  name: "opencode",
  label: "OpenCode",
  recorded: "1.18.33",
  places: [
    "~/.config/opencode/plugin/hookline-bridge.js",
    "~/.config/opencode/config.json",
    "~/.config/opencode/opencode.json",
    "~/.config/opencode/opencode.jsonc",
    "./.opencode/plugin/hookline-bridge.js",
    "./.opencode/opencode.json",
    "./.opencode/opencode.jsonc",
    "./opencode.json",
    "./opencode.jsonc",
  ],
  movedBy: { XDG_CONFIG_HOME: "~/.config" },
  environment: ["OPENCODE_CONFIG_DIR"],
  tools: opencodeTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
