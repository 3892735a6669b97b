import { CLAUDE_EVENTS, type HookHost } from "../settings-hooks/foreign.ts";
import { claudeTools } from "./tools.ts";

/**
 * The format of Claude Code's hooks, for `hookline hooks import`. Sources: recordings of Claude Code; its documentation
 * where nothing was recorded.
 */
export const imported: HookHost = {
  id: "claude",
  label: "Claude Code",
  project: [".claude/settings.json", ".claude/settings.local.json"],
  home: [".claude/settings.json"],
  moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  shape: "groups",
  speaks: "own",
  events: CLAUDE_EVENTS,
  tools: claudeTools,
  isAnchored: false,
  timeout: { key: "timeout", perSecond: 1 },
  variables: {},
};
