import type { SameTools } from "../../moment/tool-names.ts";

/** Claude Code's names of tools that hookline has too. Source: spec/claude.md 4. */
export const TOOLS: SameTools = {
  Bash: { tool: "bash" },
  Read: { tool: "read", args: { file_path: "path" } },
  Write: { tool: "write", args: { file_path: "path" } },
  Edit: { tool: "edit", args: { file_path: "path" }, isEdit: true },
  MultiEdit: { tool: "edit", args: { file_path: "path" } },
  Grep: { tool: "grep", args: { "-i": "ignoreCase", head_limit: "limit" } },
  Glob: { tool: "find" },
  LS: { tool: "ls" },
  TodoWrite: { tool: "todo" },
  WebFetch: { tool: "fetch" },
  Agent: { tool: "task" },
  Task: { tool: "task" },
};

/** Its tool that starts a sub-agent, by hookline's name. */
export const SPAWN = { name: "task", prompt: "prompt", type: "subagent_type", otherwise: "general-purpose" };
