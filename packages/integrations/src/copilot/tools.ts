import type { AgentTools, CallArgs } from "@hookline/runtime/engine";

const PATH = { path: ["path", "file_path"] };
const OTHER = { kind: "other" } as const;
const EDIT = {
  kind: "writes",
  tool: "edit",
  args: PATH,
  needs: ["path", "edits"],
  edits: { old: "old_str", new: "new_str" },
} as const;
const GREP = {
  kind: "searches",
  tool: "grep",
  args: { path: ["paths", "path"], ignoreCase: "-i", limit: "head_limit" },
  many: "paths",
  needs: ["pattern"],
} as const;

/** A tool that types text into a running shell, which is judged as a command. */
const TYPES = {
  kind: "other",
  implies: ({ input }: CallArgs) => (typeof input === "string" ? [{ tool: "bash", args: { command: input } }] : []),
} as const;

/** Copilot CLI's tools. Source: spec/hosts/copilot, its documentation, and version 1.0.102. */
export const copilotTools: AgentTools = {
  // MCP tools are called SERVER-TOOL, SERVER/TOOL or mcp__SERVER__TOOL; Copilot CLI's own have no hyphen.
  server: /[-/]|^mcp__/,
  namings: [
    { prefix: "", separator: "/" },
    { prefix: "", separator: "-" },
  ],
  isText: true,
  tools: {
    bash: { kind: "runs", tool: "bash", needs: ["command"] },
    powershell: { kind: "runs", tool: "bash", needs: ["command"], offered: "Windows" },
    view: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    create: {
      kind: "writes",
      tool: "write",
      args: { ...PATH, content: ["file_text", "content"] },
      needs: ["path", "content"],
      offered: "models that are not GPTs",
    },
    edit: { ...EDIT, offered: "models that are not GPTs" },
    str_replace_editor: EDIT,
    apply_patch: { kind: "patches", args: { patch: ["patch", "input", "command"] }, needs: ["patch"], offered: "GPTs" },
    glob: { kind: "searches", tool: "find", args: { path: ["paths", "path"] }, many: "paths", needs: ["pattern"] },
    grep: { ...GREP, offered: "models that are not GPTs" },
    rg: { ...GREP, offered: "GPTs" },
    web_fetch: { kind: "fetches", tool: "fetch", needs: ["url"] },
    web_search: { kind: "fetches", tool: "WebSearch" },
    task: {
      kind: "starts",
      tool: "task",
      args: { subagent_type: "agent_type" },
      needs: ["prompt"],
      starts: { prompt: "prompt", type: "agent_type", otherwise: "general-purpose" },
    },
    update_todo: { kind: "other", tool: "todo" },
    ask_user: { kind: "other", tool: "ask" },
    read_bash: OTHER,
    write_bash: TYPES,
    write_powershell: { ...TYPES, offered: "Windows" },
    stop_bash: OTHER,
    list_bash: OTHER,
    read_agent: OTHER,
    // Sends work to an agent that is already running.
    write_agent: {
      kind: "starts",
      tool: "task",
      args: { prompt: "message" },
      needs: ["prompt"],
      starts: { prompt: "message", type: "agent_id", otherwise: "general-purpose" },
    },
    list_agents: OTHER,
    report_intent: OTHER,
    skill: OTHER,
    sql: OTHER,
    session_store_sql: OTHER,
    store_memory: OTHER,
    exit_plan_mode: OTHER,
    fetch_copilot_cli_documentation: OTHER,
    show_file: { kind: "reads", args: PATH },
  },
};
