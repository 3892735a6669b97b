import type { AgentTools } from "@hookline/runtime/engine";

/** A program whose hook files are searched for. */
export interface HookHost {
  readonly id: string;
  readonly label: string;
  /** Files below the project and below the home folder; a final `*.json` stands for every such file of the folder. */
  readonly project: readonly string[];
  readonly home: readonly string[];
  /** A variable that replaces a folder below the home folder, or with an empty one the home folder itself. */
  readonly moved?: { readonly variable: string; readonly folder: string };
  /** `groups`: Claude Code's shape. `flat`: a list of handlers for each event. */
  readonly shape: "groups" | "flat";
  /**
   * `own`: the hooks already run here. `same`: Claude Code's events and answers. `other`: its programs use other events
   * and answers.
   */
  readonly speaks: "own" | "same" | "other";
  /** Claude Code's names of its events, with the tools that an event is limited to; or why there is none. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** Its tools. */
  readonly tools: AgentTools;
  /** Whether its matchers take Claude Code's names of tools beside its own. */
  readonly takesClaudeNames?: true;
  /** Whether a matcher must match a whole name. */
  readonly isAnchored: boolean;
  /** Its limit for one handler: the key, and how many units are a second. */
  readonly timeout: { readonly key: string; readonly perSecond: number };
  /** Variables in commands that have another name in Claude Code. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether its guards refuse when they fail. */
  readonly isClosed?: true;
}

/** Claude Code's name for an event of a host, or why it has none. */
export type HostEvent =
  | {
      readonly event: string;
      /** The tools that the event is about, if the event itself implies them. */
      readonly matcher?: string;
      readonly remark?: string;
      /** For this event its programs use Claude Code's events and answers, even if the host's others do not. */
      readonly isSame?: true;
    }
  | { readonly why: string };

/** Events that have Claude Code's own names. */
export const same = (...names: readonly string[]): Readonly<Record<string, HostEvent>> =>
  Object.fromEntries(names.map((event) => [event, { event }]));

/** All events of Claude Code that its settings hooks can have here. */
export const CLAUDE_EVENTS = same(
  ..."SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure".split(
    " ",
  ),
  ..."PostToolBatch PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop".split(" "),
  ..."PreCompact PostCompact InstructionsLoaded ConfigChange".split(" "),
);

/** Every tool of every MCP server. */
export const MCP_TOOLS = "mcp__.*";
