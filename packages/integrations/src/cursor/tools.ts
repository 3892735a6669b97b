import type { AgentTools } from "@hookline/runtime/engine";

/** The names under which a path argument is looked for. Cursor documents only the arguments of its shell tool. */
const PATH = { path: ["path", "file_path", "target_file", "filePath"] };
const EDIT = {
  kind: "writes",
  tool: "edit",
  args: PATH,
  needs: ["path"],
  edits: { old: "old_string", new: "new_string" },
} as const;

/** Cursor's tools. Source: its documentation, read 2026-11. */
export const cursorTools: AgentTools = {
  server: /^(?:MCP:|mcp__)/,
  namings: [{ prefix: "MCP:", separator: ":", isNameless: true }],
  tools: {
    Shell: { kind: "runs", tool: "bash", needs: ["command"] },
    Read: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    Write: {
      kind: "writes",
      tool: "write",
      args: { ...PATH, content: ["content", "contents", "file_text"] },
      needs: ["path"],
    },
    Edit: EDIT,
    StrReplace: EDIT,
    Delete: { kind: "writes", tool: "write", args: PATH, needs: ["path"] },
    Grep: { kind: "searches", tool: "grep", needs: ["pattern"] },
    Glob: { kind: "searches", tool: "find", args: { pattern: ["pattern", "glob_pattern"] }, needs: ["pattern"] },
    // Has no `starts`, since hooks are asked about the sub-agent at Cursor's own event `subagentStart`.
    Task: { kind: "starts", tool: "task" },
    WebFetch: { kind: "fetches", tool: "fetch", needs: ["url"] },
    WebSearch: { kind: "fetches" },
  },
};
