import { type BridgeHost, isPrinting } from "@hookline/bridge/kit";
import { claudeTools } from "../tools.ts";
import { events } from "./events.ts";
import { guest, SIGNS } from "./guests.ts";

/** Claude Code as a host, by its public documentation; not tested with Claude Code. Source: spec/claude.md. */
export const host: BridgeHost = {
  name: "claude",
  label: "Claude Code",
  dialect: "claude",
  places: ["~/.claude/settings.json", "./.claude/settings.json", "./.claude/settings.local.json"],
  movedBy: { CLAUDE_CONFIG_DIR: "~/.claude" },
  process: { names: ["claude", "@anthropic-ai/claude-code"], marks: ["CLAUDECODE", "CLAUDE_PROJECT_DIR"] },
  environment: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", ...SIGNS],
  tools: claudeTools,
  asks: ({ payload }, words) =>
    payload["permission_mode"] !== "dontAsk" &&
    (!isPrinting(words, /^(?:-[a-z]*p|--print)$/i) || isPrinting(words, /^--permission-prompt-tool(?:=|$)/)),
  events,
  guest,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
