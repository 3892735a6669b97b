import type { BridgeHost } from "@hookline/bridge/kit";
import { cursorTools } from "../tools.ts";
import { events } from "./events.ts";

/** Cursor as a host. Source: its documentation and spec/bridge.md 3. It was never tried with Cursor itself. */
export const host: BridgeHost = {
  name: "cursor",
  label: "Cursor",
  places: ["~/.cursor/hooks.json", "./.cursor/hooks.json"],
  servers: ["~/.cursor/mcp.json", "./.cursor/mcp.json"],
  process: { names: ["cursor", "cursor-agent"], marks: ["CURSOR_AGENT", "CURSOR_PROJECT_DIR"] },
  environment: ["CURSOR_PROJECT_DIR", "CURSOR_VERSION", "CURSOR_CODE_REMOTE", "CLAUDE_PROJECT_DIR"],
  tools: cursorTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
};
