import type { AgentTools } from "@hookline/runtime/engine";

/** An agent whose hook files `hookline hooks import` searches. */
export interface HookHost {
  readonly id: string;
  readonly label: string;
  /**
   * Hook files, relative to the project; `home` are those in the home folder. A final `*.json` means every such file of
   * the folder.
   */
  readonly project: readonly string[];
  readonly home: readonly string[];
  /**
   * An environment variable that replaces a folder below the home folder. If `folder` is empty, it replaces the home
   * folder itself.
   */
  readonly moved?: { readonly variable: string; readonly folder: string };
  /** The format of the hook files. `groups`: Claude Code's. `flat`: a list of handlers for each event. */
  readonly shape: "groups" | "flat";
  /**
   * The format in which the agent's hooks exchange events and answers. `own`: hookline already runs these hooks itself.
   * `same`: Claude Code's format. `other`: a format of its own.
   */
  readonly speaks: "own" | "same" | "other";
  /** Claude Code's event for each of the agent's, with the tools it is limited to, or the reason why there is none. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** The agent's tools. */
  readonly tools: AgentTools;
  /** Whether the agent's matchers also accept Claude Code's tool names. */
  readonly takesClaudeNames?: true;
  /** Whether a matcher must match the whole name of a tool. */
  readonly isAnchored: boolean;
  /** A handler's time limit: the key in its entry, and how many of the agent's units are one second. */
  readonly timeout: { readonly key: string; readonly perSecond: number };
  /** Environment variables in the agent's commands that have another name in Claude Code. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the agent refuses a call if a guard fails. */
  readonly isClosed?: true;
}

/** Claude Code's event for one of the agent's events, or the reason why there is none. */
export type HostEvent =
  | {
      readonly event: string;
      /** A matcher for the tools that the event is about, if the event's name implies them. */
      readonly matcher?: string;
      readonly remark?: string;
      /** Whether this event uses Claude Code's format, even if the agent's other events do not. */
      readonly isSame?: true;
    }
  | { readonly why: string };

/** Makes the table for events that have the same names in Claude Code. */
export const same = (...names: readonly string[]): Readonly<Record<string, HostEvent>> =>
  Object.fromEntries(names.map((event) => [event, { event }]));

/** All events of Claude Code that hookline fires for hooks in settings files. */
export const CLAUDE_EVENTS = same(
  ..."SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure".split(
    " ",
  ),
  ..."PostToolBatch PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop".split(" "),
  ..."PreCompact PostCompact InstructionsLoaded ConfigChange".split(" "),
);

/** A matcher for every tool of every MCP server. */
export const MCP_TOOLS = "mcp__.*";
