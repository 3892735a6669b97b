import { didYouMean, nearest } from "@hookline/ground";

/** The type of a handler, which says how it is run. */
export type HandlerType = (typeof HANDLER_TYPES)[number];

/** The values of a handler's `type` in the settings. */
export const HANDLER_TYPES = ["command", "http", "mcp_tool", "prompt", "agent"] as const;

/** The type of a field in a hook's answer; a list holds the allowed texts. */
export type FieldType = "text" | "flag" | "object" | "texts" | "anything" | readonly string[];

/** Describes an event of Claude Code: the answers it takes, its matcher and its time limit. */
export interface EventFields {
  /**
   * The effect of exit code 2. `block` refuses or sends the agent back to work, `model` shows stderr to the model,
   * `person` shows stderr to the user, `nothing` has no effect.
   */
  readonly exit2: "block" | "model" | "person" | "nothing";
  /** Whether plain text on stdout is added to the model's context. */
  readonly textIsContext?: true;
  /** Whether a top-level `decision: "block"` in an answer has an effect. */
  readonly blocks?: true;
  /** Whether `onFailure` has no effect, so that a hook that fails cannot keep the agent running. */
  readonly failsOpen?: true;
  /** The fields of `hookSpecificOutput` for this event. */
  readonly answers: Readonly<Record<string, FieldType>>;
  /** Fields in `answers` that have no effect here, each with the reason. */
  readonly idle?: Readonly<Record<string, string>>;
  /** The event's field that matchers are tested on. Without it every group runs. */
  readonly subject?: string;
  /** Whether a list of exact names may contain only `[A-Za-z0-9_|]`; other matchers are regular expressions. */
  readonly narrow?: true;
  readonly types: "all" | "plain" | "start";
  /** The default time limit of `command`, `http` and `mcp_tool` handlers, in ms. */
  readonly timeoutMs?: number;
  /** Whether `if` rules are supported. On other events a hook with an `if` never runs. */
  readonly isTool?: true;
  /** Whether hooks of this event get `CLAUDE_ENV_FILE`. */
  readonly hasEnvFile?: true;
}

const PERMISSION = ["allow", "deny", "ask", "defer"] as const;
const CONTEXT = { additionalContext: "text" } as const;

/** The fields of the two events about an MCP server's question: before and after the user answers it. */
const ELICITED: EventFields = {
  exit2: "block",
  answers: { action: ["accept", "decline", "cancel"], content: "object" },
  subject: "mcp_server_name",
  types: "plain",
};

const TABLE = {
  SessionStart: {
    exit2: "person",
    textIsContext: true,
    answers: {
      ...CONTEXT,
      initialUserMessage: "text",
      sessionTitle: "text",
      watchPaths: "texts",
      reloadSkills: "flag",
    },
    idle: { watchPaths: "no file is watched here", reloadSkills: "skills are read anew at /reload" },
    subject: "source",
    types: "start",
    hasEnvFile: true,
  },
  InstructionsLoaded: { exit2: "nothing", answers: {}, subject: "load_reason", types: "plain" },
  UserPromptExpansion: {
    exit2: "block",
    textIsContext: true,
    blocks: true,
    answers: CONTEXT,
    subject: "command_name",
    types: "all",
  },
  UserPromptSubmit: {
    exit2: "block",
    textIsContext: true,
    blocks: true,
    answers: { ...CONTEXT, sessionTitle: "text", suppressOriginalPrompt: "flag" },
    types: "all",
    timeoutMs: 30_000,
  },
  PreToolUse: {
    exit2: "block",
    blocks: true,
    answers: { ...CONTEXT, permissionDecision: PERMISSION, permissionDecisionReason: "text", updatedInput: "object" },
    subject: "tool_name",
    types: "all",
    isTool: true,
  },
  PermissionRequest: {
    exit2: "nothing",
    answers: { decision: "object" },
    subject: "tool_name",
    types: "all",
    isTool: true,
  },
  PostToolUse: {
    exit2: "model",
    blocks: true,
    answers: {
      ...CONTEXT,
      updatedToolOutput: "anything",
      updatedMCPToolOutput: "anything",
      classifierContext: "anything",
    },
    idle: { classifierContext: "there is no classifier here" },
    subject: "tool_name",
    types: "all",
    isTool: true,
  },
  PostToolUseFailure: { exit2: "model", answers: CONTEXT, subject: "tool_name", types: "all", isTool: true },
  PostToolBatch: { exit2: "block", blocks: true, answers: CONTEXT, types: "all" },
  Stop: { exit2: "block", failsOpen: true, blocks: true, answers: CONTEXT, types: "all" },
  SubagentStart: { exit2: "person", textIsContext: true, answers: CONTEXT, subject: "agent_type", types: "plain" },
  SubagentStop: {
    exit2: "block",
    failsOpen: true,
    blocks: true,
    answers: CONTEXT,
    subject: "agent_type",
    types: "all",
  },
  TaskCreated: { exit2: "block", answers: {}, types: "all" },
  TaskCompleted: { exit2: "block", failsOpen: true, answers: {}, types: "all" },
  StopFailure: { exit2: "nothing", answers: {}, subject: "error", narrow: true, types: "plain" },
  PreCompact: { exit2: "block", blocks: true, answers: {}, subject: "trigger", types: "plain" },
  PostCompact: { exit2: "person", answers: {}, subject: "trigger", types: "plain" },
  PreModelSwitch: {
    exit2: "block",
    answers: { permissionDecision: PERMISSION, permissionDecisionReason: "text" },
    subject: "to_model",
    types: "plain",
    timeoutMs: 30_000,
  },
  PostModelSwitch: { exit2: "person", answers: CONTEXT, subject: "to_model", types: "plain", timeoutMs: 30_000 },
  Notification: { exit2: "nothing", answers: {}, subject: "notification_type", types: "plain" },
  ConfigChange: { exit2: "block", blocks: true, answers: {}, subject: "source", types: "plain" },
  Elicitation: ELICITED,
  ElicitationResult: ELICITED,
  SessionEnd: { exit2: "person", answers: {}, subject: "reason", types: "plain", timeoutMs: 1500 },
} satisfies Readonly<Record<string, EventFields>>;

/** The name of an event that fires here. */
export type MomentName = keyof typeof TABLE;

/** The events that fire here, in the order of a session. Source: spec/claude.md 2, 3, 5, 6 and 7. */
export const EVENTS: Readonly<Record<string, EventFields>> = TABLE;

/** The latest version of Claude Code whose documentation was read for these tables. */
export const KNOWN_VERSION = "2.1.332";

/** Events of Claude Code that never fire here, with the reason. Source: spec/claude.md 6. */
export const SILENT: Readonly<Record<string, string>> & { readonly [E in MomentName]?: never } = {
  Setup: "there is no set-up run",
  PermissionDenied: "there is no automatic mode that denies",
  MessageDisplay: "a hook must not hold up the screen",
  CwdChanged: "a session keeps its folder",
  DirectoryAdded: "a session keeps its folder",
  FileChanged: "no file is watched",
  WorktreeCreate: "no work trees are made",
  WorktreeRemove: "no work trees are made",
  TeammateIdle: "there are no teams of agents",
  PreSkillShellCommand: "no commands within skills are run",
};

/** Returns the description of an event; `undefined` if the event never fires here. */
export function fieldsOf(event: string): EventFields | undefined {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
}

/**
 * Whether `onFailure: block` has an effect on this event. It has one if exit code 2 blocks, except on events such as
 * `Stop`, where that would keep the agent running.
 */
export function mayBlockOnFailure(event: string): boolean {
  const { exit2, failsOpen } = EVENTS[event] ?? {};
  return exit2 === "block" && failsOpen !== true;
}

/** Whether Claude Code has an event of this name, including events that never fire here. */
export function isEvent(name: string): boolean {
  return Object.hasOwn(EVENTS, name) || Object.hasOwn(SILENT, name);
}

/** The handler types that an event may have. Source: spec/claude.md 2, "Types per event". */
export function typesOf({ types }: EventFields): readonly HandlerType[] {
  if (types === "all") return HANDLER_TYPES;
  return types === "start" ? ["command", "mcp_tool"] : ["command", "http", "mcp_tool"];
}

/** The default time limit of a handler, in ms. Source: spec/claude.md 2. */
export function defaultTimeout(type: HandlerType, { timeoutMs }: EventFields): number {
  if (type === "prompt") return 30_000;
  if (type === "agent") return 60_000;
  return timeoutMs ?? 600_000;
}

/** Returns a "Did you mean" sentence with the nearest event name. */
export function guessEvent(word: string): string {
  return didYouMean(nearest(word, [...Object.keys(EVENTS), ...Object.keys(SILENT)]));
}
