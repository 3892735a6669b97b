import type { ToolKind } from "@hookline/runtime/engine";
import { claudeTools } from "../tools.ts";

/** The meaning of the pattern in the parentheses of a rule, such as `Bash(npm test)`. */
export type PatternKind =
  /** A shell command. */
  | "command"
  /** The path of a file, for tools that read or write files. */
  | "reads"
  | "writes"
  /** `domain:` followed by a host name. */
  | "domain"
  /** The name of what the tool starts, such as an agent or a skill. */
  | "name"
  /** The tool has no field for a plain pattern, so rules can only test `parameter:value`. */
  | "parameter";

const PATTERNS: Readonly<Record<ToolKind, PatternKind>> = {
  runs: "command",
  reads: "reads",
  searches: "reads",
  writes: "writes",
  patches: "writes",
  fetches: "domain",
  starts: "name",
  other: "name",
};

/** Describes a tool of Claude Code for rules and matchers. */
export interface KnownTool {
  readonly pattern: PatternKind;
  /** The input field that a plain pattern is tested on, such as `file_path`. Rules cannot write `file_path:value`. */
  readonly field?: string;
  /** The other fields of a shell tool that `field:value` tests. Any other text with a colon is a command pattern. */
  readonly parameters?: readonly string[];
}

/** Claude Code's tools by name. */
const TOOLS: Readonly<Record<string, KnownTool>> = Object.fromEntries(
  Object.entries(claudeTools.tools).map(([name, { kind, subject, extra = [] }]): [string, KnownTool] => [
    name,
    {
      pattern: subject === undefined ? "parameter" : PATTERNS[kind],
      ...(subject !== undefined && { field: subject }),
      ...(kind === "runs" && { parameters: [...extra, "timeout"] }),
    },
  ]),
);

/** Returns the description of a tool; `undefined` for tools of extensions and servers. */
export function knownTool(name: string): KnownTool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}

/** Names of all known tools. */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** Returns the known tool whose name differs only in letter case. */
export function otherwiseWritten(name: string): string | undefined {
  return TOOL_NAMES.find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
}
