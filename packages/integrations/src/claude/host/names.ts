import type { HostNames } from "@hookline/bridge/kit";

/** The fields of the events in Claude Code's documentation of 2.1.332; not tested. Source: spec/claude.md 5 and 6. */
export const names: HostNames = {
  held: {},
  fields: {
    PermissionRequest:
      "agent_id agent_type cwd effort hook_event_name permission_mode permission_suggestions prompt_id session_id tool_input tool_name transcript_path",
    PostCompact:
      "agent_id agent_type compact_summary cwd effort hook_event_name permission_mode prompt_id session_id transcript_path trigger",
    PostToolUse:
      "agent_id agent_type cwd duration_ms effort hook_event_name mcp_server permission_mode prompt_id session_id tool_input tool_name tool_response tool_use_id transcript_path",
    PostToolUseFailure:
      "agent_id agent_type cwd duration_ms effort error hook_event_name is_interrupt mcp_server permission_mode prompt_id session_id tool_input tool_name tool_use_id transcript_path",
    PreCompact:
      "agent_id agent_type custom_instructions cwd effort hook_event_name permission_mode prompt_id session_id transcript_path trigger",
    PreSkillShellCommand:
      "agent_id agent_type command_name command_source cwd effort hook_event_name invoked_by permission_mode prompt_id session_id tool_input tool_name tool_use_id transcript_path",
    PreToolUse:
      "agent_id agent_type cwd effort hook_event_name mcp_server permission_mode prompt_id session_id tool_input tool_name tool_use_id transcript_path",
    SessionEnd:
      "agent_id agent_type cwd effort hook_event_name permission_mode prompt_id reason session_id transcript_path",
    SessionStart:
      "agent_id agent_type context_tokens cwd effort estimated_cache_write_usd hook_event_name model permission_mode prompt_cache_likely_expired prompt_id seconds_since_last_response session_id session_title source transcript_path",
    Stop: "agent_id agent_type background_tasks cwd effort hook_event_name last_assistant_message permission_mode prompt_id session_crons session_id stop_hook_active transcript_path",
    SubagentStart:
      "agent_id agent_type cwd effort hook_event_name permission_mode prompt_id session_id transcript_path",
    SubagentStop:
      "agent_id agent_transcript_path agent_type background_tasks cwd effort hook_event_name last_assistant_message permission_mode prompt_id session_crons session_id stop_hook_active transcript_path",
    UserPromptSubmit:
      "agent_id agent_type cwd effort hook_event_name permission_mode prompt prompt_id session_id session_title source transcript_path",
  },
  args: {},
};
