import { codexTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** Codex. Source: spec/hosts/codex. */
export const host: BridgeHost = {
  name: "codex",
  label: "Codex",
  recorded: "0.169.0",
  places: ["~/.codex/hooks.json", "~/.codex/config.toml", "./.codex/hooks.json", "./.codex/config.toml"],
  movedBy: { CODEX_HOME: "~/.codex" },
  environment: ["CODEX_HOME", "CODEX_MANAGED_*"],
  tools: codexTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
