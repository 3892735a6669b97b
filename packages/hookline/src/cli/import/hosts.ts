import {
  type AgentTools,
  claudeTools,
  codexTools,
  copilotTools,
  cursorTools,
  geminiTools,
  qwenTools,
} from "@hookline/runtime/internal";

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
  /** Claude Code's names of its tools. */
  readonly tools: Readonly<Record<string, string>>;
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

const same = (...names: readonly string[]): Readonly<Record<string, HostEvent>> =>
  Object.fromEntries(names.map((event) => [event, { event }]));

const CLAUDE_EVENTS = same(
  ..."SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure".split(
    " ",
  ),
  ..."PostToolBatch PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop".split(" "),
  ..."PreCompact PostCompact InstructionsLoaded ConfigChange".split(" "),
);

const NO_MODEL = { why: "settings hooks do not see model requests; write a pi or omp hook for them" };
/** Every tool of every MCP server. */
const MCP_TOOLS = "mcp__.*";
const NO_TAB = { why: "it is about an editor's completions" };

/**
 * Claude Code's names of an agent's tools, for a patch all that it may be; tools that Claude Code lacks are left out.
 * Agents that take Claude Code's names in matchers have those, too.
 */
function namesIn({ tools }: AgentTools, speaksClaude = false): Readonly<Record<string, string>> {
  const own = Object.entries(tools).flatMap(([name, { tool, kind }]) => {
    const known = kind === "patches" ? "Edit|Write" : claudeName(tool ?? name);
    return known === undefined ? [] : [[name, known] as const];
  });
  const claude = speaksClaude ? Object.keys(claudeTools.tools).map((name) => [name, name]) : [];
  return Object.fromEntries([...claude, ...own]);
}

function claudeName(tool: string): string | undefined {
  if (Object.hasOwn(claudeTools.tools, tool)) return tool;
  return Object.entries(claudeTools.tools).find(([, entry]) => entry.tool === tool)?.[0];
}

/**
 * The programs, in the order in which they are listed. Sources: spec/hosts and spec/bridge.md for what was recorded;
 * the programs' own documentation for the rest.
 */
export const HOSTS: readonly HookHost[] = [
  {
    id: "claude",
    label: "Claude Code",
    project: [".claude/settings.json", ".claude/settings.local.json"],
    home: [".claude/settings.json"],
    moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
    shape: "groups",
    speaks: "own",
    events: CLAUDE_EVENTS,
    tools: namesIn(claudeTools),
    isAnchored: false,
    timeout: { key: "timeout", perSecond: 1 },
    variables: {},
  },
  {
    id: "codex",
    label: "Codex",
    project: [".codex/hooks.json", ".codex/config.toml"],
    home: [".codex/hooks.json", ".codex/config.toml"],
    moved: { variable: "CODEX_HOME", folder: ".codex" },
    shape: "groups",
    speaks: "same",
    events: { ...CLAUDE_EVENTS, Interrupt: { why: "settings hooks are not told when a person interrupts" } },
    tools: namesIn(codexTools, true),
    isAnchored: false,
    timeout: { key: "timeout", perSecond: 1 },
    variables: {},
  },
  {
    id: "gemini",
    label: "Gemini CLI",
    project: [".gemini/settings.json"],
    home: [".gemini/settings.json"],
    moved: { variable: "GEMINI_CLI_HOME", folder: "" },
    shape: "groups",
    speaks: "other",
    events: {
      ...same("SessionStart", "SessionEnd", "Notification"),
      BeforeTool: { event: "PreToolUse" },
      AfterTool: { event: "PostToolUse", remark: "is not run after failed calls; those are PostToolUseFailure" },
      BeforeAgent: { event: "UserPromptSubmit" },
      AfterAgent: { event: "Stop" },
      PreCompress: { event: "PreCompact", remark: "runs when there is a compaction, not before every turn" },
      BeforeModel: NO_MODEL,
      AfterModel: NO_MODEL,
      BeforeToolSelection: { why: "settings hooks do not choose which tools are offered" },
    },
    tools: namesIn(geminiTools),
    isAnchored: false,
    timeout: { key: "timeout", perSecond: 1000 },
    variables: {
      GEMINI_PROJECT_DIR: "CLAUDE_PROJECT_DIR",
      GEMINI_CWD: "PWD",
      GEMINI_SESSION_ID: "CLAUDE_CODE_SESSION_ID",
    },
  },
  {
    id: "cursor",
    label: "Cursor",
    project: [".cursor/hooks.json"],
    home: [".cursor/hooks.json"],
    shape: "flat",
    speaks: "other",
    events: {
      sessionStart: { event: "SessionStart" },
      sessionEnd: { event: "SessionEnd" },
      beforeSubmitPrompt: { event: "UserPromptSubmit" },
      preToolUse: { event: "PreToolUse" },
      postToolUse: { event: "PostToolUse" },
      postToolUseFailure: { event: "PostToolUseFailure" },
      beforeShellExecution: { event: "PreToolUse", matcher: "Bash" },
      afterShellExecution: { event: "PostToolUse", matcher: "Bash" },
      beforeReadFile: { event: "PreToolUse", matcher: "Read" },
      afterFileEdit: { event: "PostToolUse", matcher: "Edit|Write" },
      subagentStart: { event: "SubagentStart" },
      subagentStop: { event: "SubagentStop" },
      preCompact: { event: "PreCompact" },
      stop: { event: "Stop" },
      beforeMCPExecution: { event: "PreToolUse", matcher: MCP_TOOLS },
      afterMCPExecution: { event: "PostToolUse", matcher: MCP_TOOLS },
      afterAgentResponse: { why: "settings hooks are not told about single replies; Stop comes at the end of a turn" },
      afterAgentThought: { why: "settings hooks do not see what a model thinks" },
      beforeTabFileRead: NO_TAB,
      afterTabFileEdit: NO_TAB,
    },
    tools: namesIn(cursorTools),
    isAnchored: false,
    timeout: { key: "timeout", perSecond: 1 },
    variables: { CURSOR_PROJECT_DIR: "CLAUDE_PROJECT_DIR" },
  },
  {
    id: "copilot",
    label: "Copilot",
    project: [".github/hooks/*.json"],
    home: [".copilot/hooks/*.json"],
    moved: { variable: "COPILOT_HOME", folder: ".copilot" },
    shape: "flat",
    speaks: "other",
    events: {
      ...Object.fromEntries(Object.keys(CLAUDE_EVENTS).map((event) => [event, { event, isSame: true }])),
      sessionStart: { event: "SessionStart" },
      sessionEnd: { event: "SessionEnd" },
      userPromptSubmitted: { event: "UserPromptSubmit" },
      preToolUse: { event: "PreToolUse" },
      postToolUse: { event: "PostToolUse" },
      postToolUseFailure: { event: "PostToolUseFailure" },
      permissionRequest: { event: "PermissionRequest" },
      agentStop: { event: "Stop" },
      subagentStart: { event: "SubagentStart" },
      subagentStop: { event: "SubagentStop" },
      preCompact: { event: "PreCompact" },
      errorOccurred: { event: "StopFailure" },
      notification: { event: "Notification" },
      userPromptTransformed: { why: "settings hooks see a prompt once, in UserPromptSubmit" },
      preMcpToolCall: { event: "PreToolUse", matcher: MCP_TOOLS },
    },
    tools: namesIn(copilotTools, true),
    isAnchored: true,
    timeout: { key: "timeoutSec", perSecond: 1 },
    variables: {},
    isClosed: true,
  },
  {
    id: "qwen",
    label: "Qwen Code",
    project: [".qwen/settings.json"],
    home: [".qwen/settings.json"],
    moved: { variable: "QWEN_HOME", folder: ".qwen" },
    shape: "groups",
    speaks: "same",
    events: CLAUDE_EVENTS,
    tools: namesIn(qwenTools, true),
    isAnchored: false,
    timeout: { key: "timeout", perSecond: 1000 },
    variables: { QWEN_PROJECT_DIR: "CLAUDE_PROJECT_DIR" },
  },
];
