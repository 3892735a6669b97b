import { CLAUDE_EVENTS, type HookHost } from "../settings-hooks/foreign.ts";
import { codexTools } from "./tools.ts";

/** Describes Codex's hook files for `hookline hooks import`. Source: recordings of Codex, or else its documentation. */
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
