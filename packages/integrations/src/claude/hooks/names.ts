import type { ToolKind } from "@hookline/runtime/engine";
import { claudeTools } from "../tools.ts";

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

/** Describes a tool of Claude Code, for rules and matchers. */
export interface KnownTool {
  readonly pattern: PatternKind;
  /** The field that the pattern is about; it cannot be named as a parameter. */
  readonly field?: string;
  /** Other fields, where `field:value` would otherwise be read as a pattern. */
  readonly parameters?: readonly string[];
}

/** Tools by the names that matchers and rules have for them. */
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

/** Returns the description of a tool; undefined for tools from an extension or server. */
export function knownTool(name: string): KnownTool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}

/** The known names. */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** The known tool whose name differs only in letter case. */
export function otherwiseWritten(name: string): string | undefined {
  return TOOL_NAMES.find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
}
