import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "0.61.0": "m1 claude-sonnet-4-5 gpt-5.4 gemini-3-pro gemini-2.5-flash",
  },
  fields: {
    AfterAgent: "cwd hook_event_name prompt prompt_response session_id stop_hook_active timestamp transcript_path",
    AfterModel: "cwd hook_event_name llm_request llm_response session_id timestamp transcript_path",
    AfterTool:
      "cwd hook_event_name mcp_context original_request_name session_id timestamp tool_input tool_name tool_response transcript_path",
    BeforeAgent: "cwd hook_event_name prompt session_id timestamp transcript_path",
    BeforeModel: "cwd hook_event_name llm_request session_id timestamp transcript_path",
    BeforeTool: "cwd hook_event_name mcp_context session_id timestamp tool_input tool_name transcript_path",
    BeforeToolSelection: "cwd hook_event_name llm_request session_id timestamp transcript_path",
    SessionEnd: "cwd hook_event_name reason session_id timestamp transcript_path",
    SessionStart: "cwd hook_event_name session_id source timestamp transcript_path",
  },
  args: {
    activate_skill: "name",
    complete_task: "result wait_for_previous",
    enter_plan_mode: "reason",
    glob: "case_sensitive dir_path pattern respect_gemini_ignore respect_git_ignore",
    google_web_search: "query",
    grep_search:
      "after before case_sensitive context dir_path exclude_pattern fixed_strings include_pattern max_matches_per_file names_only no_ignore pattern total_max_matches",
    invoke_agent: "agent_name prompt wait_for_previous",
    list_background_processes: "wait_for_previous",
    list_directory: "dir_path file_filtering_options ignore",
    read_background_output: "delay_ms lines pid wait_for_previous",
    read_file: "command description end_line file_path start_line",
    replace: "allow_multiple file_path instruction new_string old_string",
    run_shell_command: "command delay_ms description dir_path is_background",
    update_topic: "strategic_intent summary title wait_for_previous",
    web_fetch: "prompt",
    write_file: "content file_path",
    write_todos: "todos",
  },
};
