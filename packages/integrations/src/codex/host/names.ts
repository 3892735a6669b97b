import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    PostToolUse:
      "cwd hook_event_name model permission_mode session_id tool_input tool_name tool_response tool_use_id transcript_path turn_id",
    PreToolUse:
      "cwd hook_event_name model permission_mode session_id tool_input tool_name tool_use_id transcript_path turn_id",
    SessionEnd: "cwd hook_event_name reason session_id transcript_path",
    SessionStart: "cwd hook_event_name model permission_mode session_id source transcript_path",
    Stop: "cwd hook_event_name last_assistant_message model permission_mode session_id stop_hook_active transcript_path turn_id",
    SubagentStart: "agent_id agent_type cwd hook_event_name model permission_mode session_id transcript_path turn_id",
    SubagentStop: "cwd hook_event_name session_id stop_hook_active",
    UserPromptSubmit: "cwd hook_event_name model permission_mode prompt session_id transcript_path turn_id",
  },
  args: {
    apply_patch: "command",
    Bash: "command",
    collaborationspawn_agent: "fork_turns message task_name",
    spawn_agent: "message",
  },
};
