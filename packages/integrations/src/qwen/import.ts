import { CLAUDE_EVENTS, type HookHost } from "../settings-hooks/foreign.ts";
import { qwenTools } from "./tools.ts";

/** Describes Qwen Code's hook files for `hookline hooks import`. Source: recordings, or else its documentation. */
export const imported: HookHost = {
  id: "qwen",
  label: "Qwen Code",
  project: [".qwen/settings.json"],
  home: [".qwen/settings.json"],
  moved: { variable: "QWEN_HOME", folder: ".qwen" },
  shape: "groups",
  speaks: "same",
  events: CLAUDE_EVENTS,
  tools: qwenTools,
  takesClaudeNames: true,
  isAnchored: false,
  timeout: { key: "timeout", perSecond: 1000 },
  variables: { QWEN_PROJECT_DIR: "CLAUDE_PROJECT_DIR" },
};
