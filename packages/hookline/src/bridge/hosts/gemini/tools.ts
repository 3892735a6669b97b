import type { SameTools } from "../../moment/tool-names.ts";

/** Gemini CLI's names of tools that hookline has too. Source: its documentation, and spec/hosts/gemini. */
export const TOOLS: SameTools = {
  run_shell_command: { tool: "bash" },
  read_file: { tool: "read", args: { file_path: "path" } },
  write_file: { tool: "write", args: { file_path: "path" } },
  replace: { tool: "edit", args: { file_path: "path" }, isEdit: true },
  glob: { tool: "find" },
  search_file_content: { tool: "grep" },
  grep_search: { tool: "grep" },
  list_directory: { tool: "ls", args: { dir_path: "path" } },
};
