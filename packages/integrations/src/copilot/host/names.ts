import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "1.0.102": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 m1",
  },
  fields: {
    agentStop: "agentId agentType cwd parentAgentId sessionId stopReason stop_hook_active timestamp transcriptPath",
    permissionRequest:
      "agentId agentType cwd hookName parentAgentId permissionSuggestions sessionId timestamp toolInput toolName",
    postToolUse: "agentId agentType cwd parentAgentId sessionId timestamp toolArgs toolName toolResult",
    preToolUse: "agentId agentType cwd parentAgentId sessionId timestamp toolArgs toolName",
    sessionEnd: "cwd reason sessionId timestamp",
    sessionStart: "cwd initialPrompt sessionId source timestamp",
    userPromptSubmitted: "agentId agentType cwd parentAgentId prompt sessionId timestamp",
  },
  args: {
    apply_patch: "patch",
    bash: "command description detach initial_wait mode shellId",
    create: "file_text path",
    edit: "diff file_path new_str old_str path",
    fetch_copilot_cli_documentation: "",
    glob: "paths pattern",
    grep: "-A -B -C -i -n glob head_limit multiline output_mode paths pattern type",
    list_agents: "include_completed scope",
    list_bash: "",
    read_agent: "agent_id since_turn timeout wait",
    read_bash: "delay shellId",
    rg: "-A -B -C -i -n glob head_limit multiline output_mode paths pattern type",
    session_store_sql: "description query source",
    skill: "skill",
    sql: "description query",
    stop_bash: "shellId",
    task: "agent_type context_tier description mode model name prompt reasoning_effort",
    view: "forceReadLargeFiles path view_range",
    write_agent: "agent_id agent_ids message scope",
  },
};
