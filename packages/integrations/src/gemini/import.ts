import { type HookHost, same } from "../settings-hooks/foreign.ts";
import { geminiTools } from "./tools.ts";

const NO_MODEL = { why: "settings hooks do not see model requests; write a pi or omp hook for them" };

/** Describes Gemini CLI's hook files for `hookline hooks import`. Source: recordings, or else its documentation. */
export const imported: HookHost = {
  id: "gemini",
  label: "Gemini CLI",
  project: [".gemini/settings.json"],
  home: [".gemini/settings.json"],
  moved: { variable: "GEMINI_CLI_HOME", folder: "" },
  shape: "groups",
  speaks: "other",
  events: {
    ...same("SessionStart", "SessionEnd", "Notification"),
    BeforeTool: { event: "PreToolUse" },
    AfterTool: { event: "PostToolUse", remark: "is not run after failed calls; those are PostToolUseFailure" },
    BeforeAgent: { event: "UserPromptSubmit" },
    AfterAgent: { event: "Stop" },
    PreCompress: { event: "PreCompact", remark: "runs when there is a compaction, not before every turn" },
    BeforeModel: NO_MODEL,
    AfterModel: NO_MODEL,
    BeforeToolSelection: { why: "settings hooks do not choose which tools are offered" },
  },
  tools: geminiTools,
  isAnchored: false,
  timeout: { key: "timeout", perSecond: 1000 },
  variables: {
    GEMINI_PROJECT_DIR: "CLAUDE_PROJECT_DIR",
    GEMINI_CWD: "PWD",
    GEMINI_SESSION_ID: "CLAUDE_CODE_SESSION_ID",
  },
};
