import type { BridgeHost } from "@hookline/bridge/kit";
import { codexTools } from "../tools.ts";
import { events } from "./events.ts";

/** Codex as a host. Source: spec/hosts/codex. */
export const host: BridgeHost = {
  name: "codex",
  label: "Codex",
  recorded: "0.171.0",
  places: ["~/.codex/hooks.json", "~/.codex/config.toml", "./.codex/hooks.json", "./.codex/config.toml"],
  movedBy: { CODEX_HOME: "~/.codex" },
  process: {
    names: ["codex", "@openai/codex"],
    marks: ["CODEX_MANAGED_BY_NPM", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"],
  },
  environment: ["CODEX_HOME", "CODEX_MANAGED_*"],
  tools: codexTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
