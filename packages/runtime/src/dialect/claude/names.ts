/** How the part in parentheses of a tool's rule is read. */
export type PatternKind =
  /** A command, for shells. */
  | "command"
  /** A path, of a tool that reads or writes a file. */
  | "reads"
  | "writes"
  /** `domain:` and a host name. */
  | "domain"
  /** The name of what is started. */
  | "name"
  /** Only `parameter:value`. */
  | "parameter";

/** What rules and matchers know about a tool of Claude Code. */
export interface KnownTool {
  readonly pattern: PatternKind;
  /** The field that the pattern is about; it cannot be named as a parameter. */
  readonly field?: string;
  /** Other fields, where `field:value` would otherwise be read as a pattern. */
  readonly parameters?: readonly string[];
}

const file: Omit<KnownTool, "pattern"> = { field: "file_path" };

/** Tools by the names that matchers and rules have for them. Source: code.claude.com/docs/en/tools-reference, read 2026-08. */
const TOOLS: Readonly<Record<string, KnownTool>> = {
  Bash: {
    pattern: "command",
    field: "command",
    parameters: ["description", "timeout", "run_in_background", "dangerouslyDisableSandbox"],
  },
  Read: { pattern: "reads", ...file },
  Grep: { pattern: "reads", field: "path" },
  Glob: { pattern: "reads", field: "path" },
  LS: { pattern: "reads", field: "path" },
  Edit: { pattern: "writes", ...file },
  MultiEdit: { pattern: "writes", ...file },
  Write: { pattern: "writes", ...file },
  NotebookEdit: { pattern: "writes", field: "notebook_path" },
  NotebookRead: { pattern: "reads", field: "notebook_path" },
  WebFetch: { pattern: "domain", field: "url" },
  Agent: { pattern: "name", field: "subagent_type" },
  Task: { pattern: "name", field: "subagent_type" },
  Skill: { pattern: "name", field: "skill" },
  ...Object.fromEntries(
    (
      "WebSearch TodoWrite TodoRead AskUserQuestion ExitPlanMode EnterPlanMode BashOutput KillShell KillBash SlashCommand " +
      "PowerShell Monitor LSP ToolSearch TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop SendMessage " +
      "EnterWorktree ExitWorktree ListMcpResourcesTool ReadMcpResourceTool Cd"
    )
      .split(" ")
      .map((name): [string, KnownTool] => [name, { pattern: "parameter" }]),
  ),
};

/** What is known about a tool; undefined for tools from an extension or server. */
export function knownTool(name: string): KnownTool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}

/** The known names. */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** The known tool whose name differs only in letter case. */
export function otherwiseWritten(name: string): string | undefined {
  return TOOL_NAMES.find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
}
