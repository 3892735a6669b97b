import { CLAUDE_EVENTS, type HookHost } from "../settings-hooks/foreign.ts";
import { codexTools } from "./tools.ts";

/**
 * Codex's settings hooks, for `hookline hooks import`. Sources: recordings of Codex; its documentation where nothing
 * was recorded.
 */
export const imported: HookHost = {
  id: "codex",
  label: "Codex",
  project: [".codex/hooks.json", ".codex/config.toml"],
  home: [".codex/hooks.json", ".codex/config.toml"],
  moved: { variable: "CODEX_HOME", folder: ".codex" },
  shape: "groups",
  speaks: "same",
  events: { ...CLAUDE_EVENTS, Interrupt: { why: "settings hooks are not told when a person interrupts" } },
  tools: codexTools,
  takesClaudeNames: true,
  isAnchored: false,
  timeout: { key: "timeout", perSecond: 1 },
  variables: {},
};
