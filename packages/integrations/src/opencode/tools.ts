import type { AgentTools } from "@hookline/runtime/engine";

const PATH = { path: ["filePath", "file_path", "path"] };
const OTHER = { kind: "other" } as const;
const OTHERS = "models whose name has no `gpt-`, and `gpt-4` and `oss` ones";

/**
 * OpenCode's tools. OpenCode chooses by a model's name which tools it offers. Source: spec/hosts/opencode; OpenCode
 * 1.18.33.
 */
export const opencodeTools: AgentTools = {
  // The tool of an MCP server is called SERVER_TOOL.
  server: /_|^mcp/,
  namings: [{ prefix: "", separator: "_" }],
  tools: {
    bash: { kind: "runs", tool: "bash", needs: ["command"], perSecond: 1000 },
    read: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    write: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"], offered: OTHERS },
    edit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "oldString", new: "newString" },
      offered: OTHERS,
    },
    multiedit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "oldString", new: "newString", list: "edits" },
    },
    apply_patch: {
      kind: "patches",
      args: { patch: ["patchText", "patch", "input"] },
      needs: ["patch"],
      offered: "models whose name has `gpt-`, but `gpt-4` and `oss` ones",
    },
    patch: { kind: "patches", args: { patch: ["patchText", "patch", "input"] }, needs: ["patch"] },
    glob: { kind: "searches", tool: "find", needs: ["pattern"] },
    grep: { kind: "searches", tool: "grep", args: { glob: ["include", "glob"] }, needs: ["pattern"] },
    list: { kind: "searches", tool: "ls" },
    webfetch: { kind: "fetches", tool: "fetch", needs: ["url"] },
    websearch: { kind: "fetches", tool: "WebSearch" },
    codesearch: { kind: "fetches" },
    task: {
      kind: "starts",
      tool: "task",
      needs: ["prompt"],
      starts: { prompt: "prompt", type: "subagent_type", otherwise: "general" },
    },
    todowrite: { kind: "other", tool: "todo" },
    todoread: OTHER,
    question: { kind: "other", tool: "ask" },
    skill: OTHER,
    lsp: { kind: "reads", args: PATH },
    invalid: OTHER,
    plan_enter: OTHER,
    plan_exit: OTHER,
    // Each call that the script of `execute` makes is also reported on its own.
    execute: { kind: "other", offered: "code mode, which is experimental" },
    // Not a tool, but the name under which OpenCode asks for approval of a path outside the project.
    external_directory: { kind: "reads" },
  },
};
