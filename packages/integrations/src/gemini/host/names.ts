import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    AfterAgent: "cwd hook_event_name prompt prompt_response session_id stop_hook_active timestamp transcript_path",
    AfterModel: "cwd hook_event_name llm_request llm_response session_id timestamp transcript_path",
    AfterTool:
      "cwd hook_event_name original_request_name session_id timestamp tool_input tool_name tool_response transcript_path",
    BeforeAgent: "cwd hook_event_name prompt session_id timestamp transcript_path",
    BeforeModel: "cwd hook_event_name llm_request session_id timestamp transcript_path",
    BeforeTool: "cwd hook_event_name session_id timestamp tool_input tool_name transcript_path",
    BeforeToolSelection: "cwd hook_event_name llm_request session_id timestamp transcript_path",
    SessionEnd: "cwd hook_event_name reason session_id timestamp transcript_path",
    SessionStart: "cwd hook_event_name session_id source timestamp transcript_path",
  },
  args: {
    invoke_agent: "agent_name prompt",
    read_file: "command description file_path",
    replace: "file_path instruction new_string old_string",
    run_shell_command: "command description",
  },
};
