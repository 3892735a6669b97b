import type { BridgeHost } from "@hookline/bridge/kit";
import { geminiTools } from "../tools.ts";
import { events } from "./events.ts";

/** Gemini CLI as a host. Source: spec/hosts/gemini. */
export const host: BridgeHost = {
  name: "gemini",
  label: "Gemini CLI",
  recorded: "0.61.0",
  places: ["~/.gemini/settings.json", "~/.gemini/trustedFolders.json", "./.gemini/settings.json"],
  servers: ["~/.gemini/settings.json", "./.gemini/settings.json"],
  movedBy: { GEMINI_CLI_HOME: "~" },
  process: { names: ["gemini", "@google/gemini-cli"], marks: ["GEMINI_CLI", "GEMINI_PROJECT_DIR"] },
  environment: ["GEMINI_CLI_HOME", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR"],
  tools: geminiTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
