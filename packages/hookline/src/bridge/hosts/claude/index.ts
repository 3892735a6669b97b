import { claudeTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";
import { guest, SIGNS } from "./guests.ts";

/** Claude Code. Source: spec/claude.md, which is its public documentation; it was never run. */
export const host: BridgeHost = {
  name: "claude",
  label: "Claude Code",
  dialect: "claude",
  places: ["~/.claude/settings.json", "./.claude/settings.json", "./.claude/settings.local.json"],
  movedBy: { CLAUDE_CONFIG_DIR: "~/.claude" },
  environment: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", ...SIGNS],
  tools: claudeTools,
  events,
  guest,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
