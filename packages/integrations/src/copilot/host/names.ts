import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    agentStop: "cwd sessionId stopReason stop_hook_active timestamp transcriptPath",
    permissionRequest: "cwd hookName permissionSuggestions sessionId timestamp toolInput toolName",
    postToolUse: "cwd sessionId timestamp toolArgs toolName toolResult",
    preToolUse: "cwd sessionId timestamp toolArgs toolName",
    sessionEnd: "cwd reason sessionId timestamp",
    sessionStart: "cwd initialPrompt sessionId source timestamp",
    userPromptSubmitted: "cwd prompt sessionId timestamp",
  },
  args: {
    apply_patch: "patch",
    bash: "command description",
    create: "file_text path",
    rg: "output_mode paths pattern",
    task: "agent_type description mode name prompt",
  },
};
