/** Agents that run the entries of Claude Code's files, too: by a variable that each sets, with its names of the events. */
const GUESTS: Readonly<Record<string, { readonly host: string; readonly events: Readonly<Record<string, string>> }>> = {
  // In a folder that it trusts. Source: spec/hosts/copilot/claude-trusted-deny.json.
  COPILOT_CLI: {
    host: "copilot",
    events: {
      SessionStart: "sessionStart",
      SessionEnd: "sessionEnd",
      UserPromptSubmit: "userPromptSubmitted",
      PreToolUse: "preToolUse",
      PermissionRequest: "permissionRequest",
      PostToolUse: "postToolUse",
      PostToolUseFailure: "postToolUseFailure",
      PreCompact: "preCompact",
      SubagentStart: "subagentStart",
      SubagentStop: "subagentStop",
      Stop: "agentStop",
    },
  },
  // Where its setting for hooks of other agents is on. Source: Cursor's documentation.
  CURSOR_VERSION: {
    host: "cursor",
    events: {
      SessionStart: "sessionStart",
      SessionEnd: "sessionEnd",
      UserPromptSubmit: "beforeSubmitPrompt",
      PreToolUse: "preToolUse",
      PostToolUse: "postToolUse",
      PreCompact: "preCompact",
      SubagentStop: "subagentStop",
      Stop: "stop",
    },
  },
};

/** The variables that such agents set. */
export const SIGNS: readonly string[] = Object.keys(GUESTS);

/** Which agent runs an entry of Claude Code's, by its environment. */
export function guest(
  event: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly host: string; readonly event: string } | undefined {
  for (const [sign, { host, events }] of Object.entries(GUESTS)) {
    const own = events[event];
    if (env[sign] !== undefined && own !== undefined) return { host, event: own };
  }
  return undefined;
}
