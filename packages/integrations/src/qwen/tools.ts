import type { AgentTools } from "@hookline/runtime/engine";
import { notebookEdit } from "../settings-hooks/edits.ts";

const PATH = { path: ["file_path", "path", "absolute_path"] };
const OTHER = { kind: "other" } as const;

/**
 * Qwen Code's tools. `aliases` are the names it displays, which matchers accept too. Source: spec/hosts/qwen; Qwen Code
 * 0.24.4.
 */
export const qwenTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    run_shell_command: { kind: "runs", tool: "bash", needs: ["command"], perSecond: 1000, aliases: ["Shell"] },
    read_file: { kind: "reads", tool: "read", args: PATH, needs: ["path"], aliases: ["ReadFile"] },
    read_many_files: { kind: "reads", tool: "read", args: { path: "include" }, many: "include", needs: ["path"] },
    write_file: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"], aliases: ["WriteFile"] },
    edit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "old_string", new: "new_string" },
      aliases: ["Edit"],
    },
    notebook_edit: { kind: "writes", tool: "NotebookEdit", needs: ["notebook_path"], implies: notebookEdit },
    glob: { kind: "searches", tool: "find", needs: ["pattern"], aliases: ["FindFiles"] },
    grep_search: { kind: "searches", tool: "grep", needs: ["pattern"], aliases: ["SearchText"] },
    list_directory: { kind: "searches", tool: "ls", needs: ["path"], aliases: ["ReadFolder"] },
    web_fetch: { kind: "fetches", tool: "fetch", needs: ["url"] },
    web_search: { kind: "fetches", tool: "WebSearch" },
    agent: {
      kind: "starts",
      tool: "task",
      needs: ["prompt"],
      starts: { prompt: "prompt", type: "subagent_type", otherwise: "general-purpose" },
    },
    task: {
      kind: "starts",
      tool: "task",
      needs: ["prompt"],
      starts: { prompt: "prompt", type: "subagent_type", otherwise: "general-purpose" },
      offered: "versions before 0.20",
    },
    todo_write: { kind: "other", tool: "todo" },
    ask_user_question: { kind: "other", tool: "ask" },
    monitor: { kind: "runs", tool: "bash", needs: ["command"] },
    skill: OTHER,
    // Sends work to an agent that is already running.
    send_message: {
      kind: "starts",
      tool: "task",
      args: { prompt: "message" },
      starts: { prompt: "message", type: "to", otherwise: "general-purpose" },
    },
    list_agents: OTHER,
    get_goal: OTHER,
    update_goal: OTHER,
    // Qwen Code reports a call of `tool_call` as a call of the tool that it names.
    tool_call: OTHER,
    save_memory: OTHER,
    exit_plan_mode: OTHER,
    task_create: OTHER,
    task_list: OTHER,
    task_update: OTHER,
    task_stop: OTHER,
    tool_search: OTHER,
    lsp: { kind: "reads" },
  },
};
