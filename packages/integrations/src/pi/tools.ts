import type { AgentTools } from "@hookline/runtime/engine";

const PATH = { path: ["path", "file_path"] };

/** pi's tools. hookline's tools have the same names and arguments. Source: spec/pi.md 4; pi 1.6.0. */
export const piTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    bash: { kind: "runs", tool: "bash", needs: ["command"] },
    read: { kind: "reads", tool: "read", args: PATH, needs: ["path"] },
    write: { kind: "writes", tool: "write", args: PATH, needs: ["path", "content"] },
    edit: { kind: "writes", tool: "edit", args: PATH, needs: ["path", "edits"] },
    grep: { kind: "searches", tool: "grep", needs: ["pattern"] },
    find: { kind: "searches", tool: "find", needs: ["pattern"] },
    ls: { kind: "searches", tool: "ls" },
    // Each call that the script of `codemode` makes is also reported on its own.
    codemode: { kind: "other", offered: "1.6.0 and later" },
    powershell: { kind: "runs", needs: ["command"], offered: "Windows" },
  },
};
