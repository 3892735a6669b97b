import { didYouMean, nearest } from "@hookline/ground";

/** How a handler is reached. */
export type HandlerType = (typeof HANDLER_TYPES)[number];

/** Every way to reach a handler that settings may name. */
export const HANDLER_TYPES = ["command", "http", "mcp_tool", "prompt", "agent"] as const;

/** A field of `hookSpecificOutput`, or one beside it, and what it must be. */
export type FieldType = "text" | "flag" | "object" | "texts" | "anything" | readonly string[];

/** Describes one event, apart from its place in the catalog. */
export interface EventFields {
  /**
   * The effect of exit code 2: `block` refuses or sends back, `model` gives stderr to the model, `person` shows it to
   * the person, `nothing` has no effect.
   */
  readonly exit2: "block" | "model" | "person" | "nothing";
  /** Whether plain text on stdout is context for the model. */
  readonly textIsContext?: true;
  /** Whether a top-level `decision: "block"` counts. */
  readonly blocks?: true;
  /** `onFailure` has no effect: a hook that fails must not keep the agent going. */
  readonly failsOpen?: true;
  /** Fields of `hookSpecificOutput`. */
  readonly answers: Readonly<Record<string, FieldType>>;
  /** Which of them are read and have no effect here, with the reason. */
  readonly idle?: Readonly<Record<string, string>>;
  /** The field that a matcher is tested on; absent if every group runs. */
  readonly subject?: string;
  /** Whether only `[A-Za-z0-9_|]` makes a matcher a list of exact names. */
  readonly narrow?: true;
  readonly types: "all" | "plain" | "start";
  /** The time limit of a command or request without `timeout`, in ms. */
  readonly timeoutMs?: number;
  /** Whether `if` rules are supported; on other events a hook with one never runs. */
  readonly isTool?: true;
  /** Whether CLAUDE_ENV_FILE is set. */
  readonly hasEnvFile?: true;
}

const PERMISSION = ["allow", "deny", "ask", "defer"] as const;
const CONTEXT = { additionalContext: "text" } as const;

/** A question of an MCP server, and its answer. */
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

/** An event that has a moment here. */
export type MomentName = keyof typeof TABLE;

/** The events that have a moment here, in the order of a session. Source: spec/claude.md 2, 3, 5, 6 and 7. */
export const EVENTS: Readonly<Record<string, EventFields>> = TABLE;

/** The version of Claude Code whose documents were read last. */
export const KNOWN_VERSION = "2.1.332";

/** Events of the program that have no moment here: why hooks on them never run. Source: spec/claude.md 6. */
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

/** Returns the description of an event; `undefined` if it has no moment here. */
export function fieldsOf(event: string): EventFields | undefined {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
}

/** Whether `onFailure: block` counts: what fails must be able to block, and the event must not be an end. */
export function mayBlockOnFailure(event: string): boolean {
  const { exit2, failsOpen } = EVENTS[event] ?? {};
  return exit2 === "block" && failsOpen !== true;
}

/** Whether Claude Code has an event of this name, which may never fire here. */
export function isEvent(name: string): boolean {
  return Object.hasOwn(EVENTS, name) || Object.hasOwn(SILENT, name);
}

/** Which handler types an event may have. Source: spec/claude.md 2, "Types per event". */
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

/** "Did you mean" for the nearest event. */
export function guessEvent(word: string): string {
  return didYouMean(nearest(word, [...Object.keys(EVENTS), ...Object.keys(SILENT)]));
}
