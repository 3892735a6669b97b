import { imported as claude } from "./claude/import.ts";
import { claudeNamesOf, claudeTools } from "./claude/tools.ts";
import { imported as codex } from "./codex/import.ts";
import { imported as copilot } from "./copilot/import.ts";
import { imported as cursor } from "./cursor/import.ts";
import { imported as gemini } from "./gemini/import.ts";
import { imported as qwen } from "./qwen/import.ts";
import type { HookHost } from "./settings-hooks/foreign.ts";

export type { HookHost, HostEvent } from "./settings-hooks/foreign.ts";

/** The programs whose hooks `hookline hooks import` can read, in the order in which they are listed. */
export const imports: readonly HookHost[] = [claude, codex, gemini, cursor, copilot, qwen];

/**
 * Returns Claude Code's name for each tool of a program, "Edit|Write" for a tool that applies patches. Leaves out the
 * tools that Claude Code lacks. If the program's matchers also accept Claude Code's own names, these are included.
 */
export function claudeNames({
  tools,
  takesClaudeNames,
}: Pick<HookHost, "tools" | "takesClaudeNames">): Readonly<Record<string, string>> {
  const own = Object.entries(tools.tools).flatMap(([name, { tool, kind }]) => {
    const known = kind === "patches" ? "Edit|Write" : claudeName(tool ?? name);
    return known === undefined ? [] : [[name, known] as const];
  });
  const alike = takesClaudeNames === true ? Object.keys(claudeTools.tools).map((name) => [name, name]) : [];
  return Object.fromEntries([...alike, ...own]);
}

function claudeName(tool: string): string | undefined {
  return Object.hasOwn(claudeTools.tools, tool) ? tool : claudeNamesOf(tool)[0];
}
