import type { AgentTools } from "@hookline/runtime/engine";

/** The catalogue's own tools. A program's tool of another name is judged by its arguments. */
export const genericTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    bash: { kind: "runs", tool: "bash", needs: ["command"] },
    read: { kind: "reads", tool: "read", needs: ["path"] },
    write: { kind: "writes", tool: "write", needs: ["path", "content"] },
    edit: { kind: "writes", tool: "edit", needs: ["path", "edits"] },
    grep: { kind: "searches", tool: "grep", needs: ["pattern"] },
    find: { kind: "searches", tool: "find", needs: ["pattern"] },
    ls: { kind: "searches", tool: "ls" },
    fetch: { kind: "fetches", tool: "fetch", needs: ["url"] },
    apply_patch: { kind: "patches", needs: ["patch"] },
  },
};
