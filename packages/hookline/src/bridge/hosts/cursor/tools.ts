/** Cursor's names of tools that hookline has too; only a shell command's arguments are documented. */
const TOOLS: Readonly<Record<string, string>> = {
  Shell: "bash",
  Read: "read",
  Write: "write",
  Edit: "edit",
  StrReplace: "edit",
  Grep: "grep",
  Glob: "find",
};

/** The start of the name of a tool of an MCP server. */
const SERVER = "MCP:";

/** A tool's name as hooks know it. */
export function toolOf(name: string): string {
  return Object.hasOwn(TOOLS, name) ? (TOOLS[name] as string) : name;
}

/** Whether an MCP server's tool was called, the only results that can be changed. */
export function isServerTool(name: string): boolean {
  return name.startsWith(SERVER);
}

/** A sub-agent that starts, as Cursor tells of it. */
export const SPAWN = { name: "subagentStart", prompt: "task", type: "subagent_type", otherwise: "generalPurpose" };
