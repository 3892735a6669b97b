import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "0.24.4": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 m1",
  },
  fields: {
    PostToolUse:
      "agent_id cwd duration_ms hook_event_name permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_response tool_use_id transcript_path",
    PostToolUseFailure:
      "cwd duration_ms error hook_event_name is_interrupt permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_use_id transcript_path",
    PreToolUse:
      "agent_id cwd hook_event_name permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_use_id transcript_path",
    SessionStart: "cwd hook_event_name model permission_mode session_id source timestamp transcript_path",
    Stop: "background_tasks context_limit context_usage crons cwd hook_event_name input_tokens last_assistant_message permission_mode prompt_id session_id stop_hook_active timestamp transcript_path",
    UserPromptSubmit:
      "cwd hook_event_name permission_mode prompt prompt_id session_id submitted_prompt timestamp transcript_path",
  },
  args: {
    agent:
      "description fork_profile fork_tools fork_turns isolation prompt run_in_background subagent_type working_dir",
    edit: "file_path new_string old_string replace_all",
    get_goal: "",
    glob: "path pattern",
    grep_search: "glob limit path pattern",
    list_agents: "",
    monitor: "command description directory idle_timeout_ms max_events",
    notebook_edit: "cell_id cell_type edit_mode new_source notebook_path",
    read_file: "file_path limit offset pages",
    run_shell_command: "command description directory is_background timeout",
    skill: "args skill",
    tool_call: "arguments name",
    tool_search: "max_results query",
    update_goal: "blockerKind reason status",
    web_fetch: "format prompt url",
    write_file: "content file_path record_as_artifact",
  },
};
