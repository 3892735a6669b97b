import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "0.169.0": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 gpt-5.5 gpt-5.6-luna gpt-6.1-sol gpt-6.2-sol m1",
    "0.171.0": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 gpt-5.5 gpt-5.6-luna gpt-6.1-sol gpt-6.2-sol m1",
  },
  fields: {
    PostToolUse:
      "agent_id agent_type cwd hook_event_name model permission_mode session_id tool_input tool_name tool_response tool_use_id transcript_path turn_id",
    PreToolUse:
      "agent_id agent_type cwd hook_event_name model permission_mode session_id tool_input tool_name tool_use_id transcript_path turn_id",
    SessionEnd: "cwd hook_event_name reason session_id transcript_path",
    SessionStart: "cwd hook_event_name model permission_mode session_id source transcript_path",
    Stop: "cwd hook_event_name last_assistant_message model permission_mode session_id stop_hook_active transcript_path turn_id",
    SubagentStart: "agent_id agent_type cwd hook_event_name model permission_mode session_id transcript_path turn_id",
    SubagentStop:
      "agent_id agent_transcript_path agent_type cwd hook_event_name last_assistant_message model permission_mode session_id stop_hook_active transcript_path turn_id",
    UserPromptSubmit:
      "agent_id agent_type cwd hook_event_name model permission_mode prompt session_id transcript_path turn_id",
  },
  args: {
    apply_patch: "command",
    Bash: "command",
    collaborationfollowup_task: "message target",
    collaborationinterrupt_agent: "target",
    collaborationlist_agents: "path_prefix",
    collaborationsend_message: "message target",
    collaborationspawn_agent: "fork_turns message model reasoning_effort task_name",
    collaborationwait_agent: "timeout_ms",
    create_goal: "objective token_budget",
    exec_command:
      "cmd justification login max_output_tokens prefix_rule sandbox_permissions shell tty workdir yield_time_ms",
    functionsexec: "",
    functionsrequest_user_input: "questions",
    functionswait: "cell_id max_tokens terminate yield_time_ms",
    get_goal: "",
    list_mcp_resource_templates: "cursor server",
    list_mcp_resources: "cursor server",
    multi_agent_v1close_agent: "target",
    multi_agent_v1resume_agent: "id",
    multi_agent_v1send_input: "interrupt items message target",
    multi_agent_v1spawn_agent: "fork_context items message model reasoning_effort",
    multi_agent_v1wait_agent: "targets timeout_ms",
    read_mcp_resource: "server uri",
    request_user_input: "questions",
    spawn_agent: "message",
    tool_search: "limit query",
    update_goal: "status",
    view_image: "path",
    web_search: "",
    write_stdin: "chars max_output_tokens session_id yield_time_ms",
  },
};
