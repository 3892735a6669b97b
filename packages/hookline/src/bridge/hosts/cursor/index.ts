import { cursorTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** Cursor. Source: its documentation and spec/bridge.md 3; it was never run. */
export const host: BridgeHost = {
  name: "cursor",
  label: "Cursor",
  places: ["~/.cursor/hooks.json", "./.cursor/hooks.json"],
  environment: ["CURSOR_PROJECT_DIR", "CURSOR_VERSION", "CURSOR_CODE_REMOTE", "CLAUDE_PROJECT_DIR"],
  tools: cursorTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
