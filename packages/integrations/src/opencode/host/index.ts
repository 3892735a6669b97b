import type { BridgeHost } from "@hookline/bridge/kit";
import { opencodeTools } from "../tools.ts";
import { events } from "./events.ts";

/** OpenCode as a host. It runs plugins in its own process. Source: spec/hosts/opencode. */
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
  servers: ["~/.config/opencode", "./.opencode", "."].flatMap((folder) =>
    ["config.json", "opencode.json", "opencode.jsonc"].map((name) => `${folder}/${name}`),
  ),
  movedBy: { XDG_CONFIG_HOME: "~/.config" },
  process: { names: ["opencode", "opencode-ai"], marks: ["OPENCODE"] },
  environment: ["OPENCODE_CONFIG_DIR"],
  tools: opencodeTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
