import { CLAUDE_EVENTS, type HookHost, MCP_TOOLS } from "../settings-hooks/foreign.ts";
import { copilotTools } from "./tools.ts";

/** Describes Copilot's hook files for `hookline hooks import`. Source: recordings, or else its documentation. */
export const imported: HookHost = {
  id: "copilot",
  label: "Copilot",
  project: [".github/hooks/*.json"],
  home: [".copilot/hooks/*.json"],
  moved: { variable: "COPILOT_HOME", folder: ".copilot" },
  shape: "flat",
  speaks: "other",
  events: {
    ...Object.fromEntries(Object.keys(CLAUDE_EVENTS).map((event) => [event, { event, isSame: true }])),
    sessionStart: { event: "SessionStart" },
    sessionEnd: { event: "SessionEnd" },
    userPromptSubmitted: { event: "UserPromptSubmit" },
    preToolUse: { event: "PreToolUse" },
    postToolUse: { event: "PostToolUse" },
    postToolUseFailure: { event: "PostToolUseFailure" },
    permissionRequest: { event: "PermissionRequest" },
    agentStop: { event: "Stop" },
    subagentStart: { event: "SubagentStart" },
    subagentStop: { event: "SubagentStop" },
    preCompact: { event: "PreCompact" },
    errorOccurred: { event: "StopFailure" },
    notification: { event: "Notification" },
    userPromptTransformed: { why: "settings hooks see a prompt once, in UserPromptSubmit" },
    preMcpToolCall: { event: "PreToolUse", matcher: MCP_TOOLS },
  },
  tools: copilotTools,
  takesClaudeNames: true,
  isAnchored: true,
  timeout: { key: "timeoutSec", perSecond: 1 },
  variables: {},
  isClosed: true,
};
