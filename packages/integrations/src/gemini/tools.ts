import type { AgentTools } from "@hookline/runtime/engine";

const PATH = { path: ["file_path", "path", "absolute_path"] };
const OTHER = { kind: "other" } as const;

/** Gemini CLI's tools. Source: spec/hosts/gemini; Gemini CLI 0.61.0. */
export const geminiTools: AgentTools = {
  server: /^mcp_|__/,
  namings: [
    { prefix: "mcp_", separator: "_" },
    { prefix: "", separator: "__" },
  ],
  tools: {
    run_shell_command: { kind: "runs", tool: "bash", needs: ["command"] },
    read_file: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    read_many_files: { kind: "reads", tool: "read", args: { path: "include" }, many: "include", needs: ["path"] },
    write_file: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"] },
    replace: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "old_string", new: "new_string" },
    },
    glob: { kind: "searches", tool: "find", args: { path: "dir_path" }, needs: ["pattern"] },
    grep_search: { kind: "searches", tool: "grep", args: { path: "dir_path" }, needs: ["pattern"] },
    search_file_content: { kind: "searches", tool: "grep", args: { path: "dir_path" }, needs: ["pattern"] },
    list_directory: { kind: "searches", tool: "ls", args: { path: "dir_path" }, needs: ["path"] },
    // The tool takes a text and fetches every URL in it.
    web_fetch: { kind: "fetches", tool: "fetch", many: "prompt", needs: ["url"] },
    google_web_search: { kind: "fetches", tool: "WebSearch" },
    write_todos: { kind: "other", tool: "todo", offered: "gemini-2.5 models" },
    ask_user: { kind: "other", tool: "ask" },
    invoke_agent: {
      kind: "starts",
      tool: "task",
      args: { subagent_type: "agent_name" },
      needs: ["prompt"],
      starts: { prompt: "prompt", type: "agent_name", otherwise: "generalist" },
    },
    save_memory: OTHER,
    list_background_processes: OTHER,
    read_background_output: OTHER,
    activate_skill: OTHER,
    complete_task: OTHER,
    enter_plan_mode: OTHER,
    exit_plan_mode: OTHER,
    get_internal_docs: { kind: "reads" },
    list_mcp_resources: OTHER,
    read_mcp_resource: OTHER,
    update_topic: OTHER,
    ...Object.fromEntries(
      "add_dependency create_task get_task list_tasks update_task visualize"
        .split(" ")
        .map((name) => [`tracker_${name}`, OTHER]),
    ),
  },
};
