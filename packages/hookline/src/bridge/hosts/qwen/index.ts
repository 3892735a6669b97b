import { qwenTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** Qwen Code. Source: spec/hosts/qwen. */
export const host: BridgeHost = {
  name: "qwen",
  label: "Qwen Code",
  recorded: "0.24.4",
  places: ["~/.qwen/settings.json", "~/.qwen/trustedFolders.json", "./.qwen/settings.json"],
  movedBy: { QWEN_HOME: "~/.qwen" },
  environment: ["QWEN_HOME", "QWEN_PROJECT_DIR", "QWEN_CODE_PROJECT_DIR", "QWEN_CODE_SESSION_ID", "GEMINI_PROJECT_DIR"],
  tools: qwenTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
