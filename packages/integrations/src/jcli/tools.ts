import type { AgentTools } from "@hookline/runtime/engine";

const PATH = { path: ["path", "file_path"] };

/** j-cli's tools. Source: the parameter lists of j-cli 12.9's tools; ruling 35. */
export const jcliTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    Bash: { kind: "runs", tool: "bash", needs: ["command"] },
    Read: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    Write: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"] },
    Edit: {
      kind: "writes",
      tool: "edit",
      args: PATH,
      needs: ["path", "edits"],
      edits: { old: "old_string", new: "new_string" },
    },
    Grep: {
      kind: "searches",
      tool: "grep",
      args: { ignoreCase: "ignore_case", limit: "head_limit" },
      needs: ["pattern"],
    },
    Glob: { kind: "searches", tool: "find", needs: ["pattern"] },
    Ask: { kind: "other", tool: "ask" },
    RegisterHook: { kind: "other", tool: "register_hook" },
  },
};
