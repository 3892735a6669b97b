import type { SameTools } from "../../moment/tool-names.ts";

/** Cursor's names of tools that hookline has too; only a shell command's arguments are documented. */
export const TOOLS: SameTools = {
  Shell: { tool: "bash" },
  Read: { tool: "read" },
  Write: { tool: "write" },
  Edit: { tool: "edit" },
  StrReplace: { tool: "edit" },
  Grep: { tool: "grep" },
  Glob: { tool: "find" },
};

/** The start of the name of a tool of an MCP server. */
const SERVER = "MCP:";

/** Whether an MCP server's tool was called, the only results that can be changed. */
export function isServerTool(name: string): boolean {
  return name.startsWith(SERVER);
}

/** A sub-agent that starts, as Cursor tells of it. */
export const SPAWN = { name: "subagentStart", prompt: "task", type: "subagent_type", otherwise: "generalPurpose" };
