/**
 * Other agents that also run the hooks in Claude Code's settings files. Each is recognised by an environment variable
 * that it sets. `events` has the agent's own names.
 */
const GUESTS: Readonly<Record<string, { readonly host: string; readonly events: Readonly<Record<string, string>> }>> = {
  // Copilot CLI runs Claude Code's hooks only in a trusted folder. Source: spec/hosts/copilot/claude-trusted-deny.json.
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
  // Cursor runs Claude Code's hooks only if its setting for other agents' hooks is on. Source: Cursor's documentation.
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

/** The environment variables by which the agents in `GUESTS` are recognised. */
export const SIGNS: readonly string[] = Object.keys(GUESTS);

/**
 * Returns the other agent that runs a hook from Claude Code's settings, and its name of the event; `undefined` if
 * Claude Code itself runs it.
 */
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
