import type { AgentTools } from "@hookline/runtime/engine";

/** chibi's tools. Source: the schemas of its `run_command` and `read_file` plugins; ruling 44. */
export const chibiTools: AgentTools = {
  server: /^mcp__/,
  tools: {
    run_command: { kind: "runs", tool: "bash", needs: ["command"] },
    read_file: { kind: "reads", tool: "read", needs: ["path"] },
  },
};
