import type { SpawnTool } from "../../moment/sub-agent.ts";
import type { SameTools } from "../../moment/tool-names.ts";

/** OpenCode's names of tools that hookline has too. Source: its documentation, and spec/hosts/opencode. */
export const TOOLS: SameTools = {
  bash: { tool: "bash" },
  read: { tool: "read", args: { filePath: "path" } },
  write: { tool: "write", args: { filePath: "path" } },
  edit: {
    tool: "edit",
    args: { filePath: "path", oldString: "old_string", newString: "new_string" },
    isEdit: true,
  },
  glob: { tool: "find" },
  grep: { tool: "grep" },
  list: { tool: "ls" },
};

/** OpenCode's tool that starts a sub-agent. */
export const SPAWN: SpawnTool = { name: "task", prompt: "prompt", type: "subagent_type", otherwise: "general" };
