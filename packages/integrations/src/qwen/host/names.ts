import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    PostToolUse:
      "cwd duration_ms hook_event_name permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_response tool_use_id transcript_path",
    PostToolUseFailure:
      "cwd duration_ms error hook_event_name is_interrupt permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_use_id transcript_path",
    PreToolUse:
      "cwd hook_event_name permission_mode prompt_id session_id timestamp tool_call_id tool_input tool_name tool_use_id transcript_path",
    SessionStart: "cwd hook_event_name model permission_mode session_id source timestamp transcript_path",
    Stop: "background_tasks context_limit context_usage crons cwd hook_event_name input_tokens last_assistant_message permission_mode prompt_id session_id stop_hook_active timestamp transcript_path",
    UserPromptSubmit:
      "cwd hook_event_name permission_mode prompt prompt_id session_id submitted_prompt timestamp transcript_path",
  },
  args: {
    agent: "description prompt subagent_type",
    edit: "file_path new_string old_string",
    notebook_edit: "cell_id new_source notebook_path",
    read_file: "file_path",
    run_shell_command: "command description is_background",
  },
};
