import { type HookHost, MCP_TOOLS } from "../settings-hooks/foreign.ts";
import { cursorTools } from "./tools.ts";

const NO_TAB = { why: "it is about an editor's completions" };

/** Describes Cursor's hook files for `hookline hooks import`. Source: Cursor's documentation. */
export const imported: HookHost = {
  id: "cursor",
  label: "Cursor",
  project: [".cursor/hooks.json"],
  home: [".cursor/hooks.json"],
  shape: "flat",
  speaks: "other",
  events: {
    sessionStart: { event: "SessionStart" },
    sessionEnd: { event: "SessionEnd" },
    beforeSubmitPrompt: { event: "UserPromptSubmit" },
    preToolUse: { event: "PreToolUse" },
    postToolUse: { event: "PostToolUse" },
    postToolUseFailure: { event: "PostToolUseFailure" },
    beforeShellExecution: { event: "PreToolUse", matcher: "Bash" },
    afterShellExecution: { event: "PostToolUse", matcher: "Bash" },
    beforeReadFile: { event: "PreToolUse", matcher: "Read" },
    afterFileEdit: { event: "PostToolUse", matcher: "Edit|Write" },
    subagentStart: { event: "SubagentStart" },
    subagentStop: { event: "SubagentStop" },
    preCompact: { event: "PreCompact" },
    stop: { event: "Stop" },
    beforeMCPExecution: { event: "PreToolUse", matcher: MCP_TOOLS },
    afterMCPExecution: { event: "PostToolUse", matcher: MCP_TOOLS },
    afterAgentResponse: { why: "settings hooks are not told about single replies; Stop comes at the end of a turn" },
    afterAgentThought: { why: "settings hooks do not see what a model thinks" },
    beforeTabFileRead: NO_TAB,
    afterTabFileEdit: NO_TAB,
  },
  tools: cursorTools,
  isAnchored: false,
  timeout: { key: "timeout", perSecond: 1 },
  variables: { CURSOR_PROJECT_DIR: "CLAUDE_PROJECT_DIR" },
};
