import type { AgentTools } from "@hookline/runtime/engine";
import { notebookEdit } from "../settings-hooks/edits.ts";

const PATH = { path: ["file_path", "path"] };
const SPAWN = {
  kind: "starts",
  tool: "task",
  needs: ["prompt"],
  starts: { prompt: "prompt", type: "subagent_type", otherwise: "general-purpose" },
  subject: "subagent_type",
} as const;
const OTHER = { kind: "other" } as const;

/** Claude Code's tools. Source: code.claude.com/docs/en/tools-reference, read 2026-11; spec/claude.md 4. */
export const claudeTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    Bash: {
      kind: "runs",
      tool: "bash",
      needs: ["command"],
      perSecond: 1000,
      subject: "command",
      extra: ["description", "run_in_background", "dangerouslyDisableSandbox"],
    },
    Read: { kind: "reads", tool: "read", args: PATH, needs: ["path"], subject: "file_path" },
    Write: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"], subject: "file_path" },
    Edit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "old_string", new: "new_string" },
      subject: "file_path",
    },
    MultiEdit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "old_string", new: "new_string", list: "edits" },
      subject: "file_path",
    },
    Grep: {
      kind: "searches",
      tool: "grep",
      args: { ignoreCase: "-i", limit: "head_limit" },
      needs: ["pattern"],
      subject: "path",
    },
    Glob: { kind: "searches", tool: "find", needs: ["pattern"], subject: "path" },
    LS: { kind: "searches", tool: "ls", subject: "path" },
    AskUserQuestion: { kind: "other", tool: "ask" },
    TodoWrite: { kind: "other", tool: "todo" },
    WebFetch: { kind: "fetches", tool: "fetch", needs: ["url"], subject: "url" },
    Agent: SPAWN,
    Task: SPAWN,
    NotebookEdit: { kind: "writes", needs: ["notebook_path"], subject: "notebook_path", implies: notebookEdit },
    NotebookRead: { kind: "reads", needs: ["notebook_path"], subject: "notebook_path" },
    Skill: { kind: "other", subject: "skill" },
    WebSearch: { kind: "fetches" },
    PowerShell: { kind: "runs", needs: ["command"] },
    // Permission rules for Bash apply to Monitor too. Source: code.claude.com/docs/en/tools-reference.
    Monitor: { kind: "runs", tool: "bash", needs: ["command"], subject: "command" },
    ...Object.fromEntries(
      (
        "TodoRead ExitPlanMode EnterPlanMode BashOutput KillShell KillBash SlashCommand LSP ToolSearch TaskCreate TaskGet " +
        "TaskList TaskUpdate TaskOutput TaskStop SendMessage EnterWorktree ExitWorktree ListMcpResourcesTool " +
        "ReadMcpResourceTool Cd"
      )
        .split(" ")
        .map((name) => [name, OTHER]),
    ),
  },
};

/** Returns Claude Code's names for one of hookline's tools, in the order of `claudeTools`; empty if it has none. */
export function claudeNamesOf(tool: string): string[] {
  return Object.entries(claudeTools.tools).flatMap(([name, entry]) => (entry.tool === tool ? [name] : []));
}
