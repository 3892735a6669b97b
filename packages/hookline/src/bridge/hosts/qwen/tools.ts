import type { SameTools } from "../../moment/tool-names.ts";
import { type Fields, isFields } from "../../payload.ts";

/** Qwen Code's names of tools that hookline has too. Source: spec/hosts/qwen, and the documentation in its package. */
export const TOOLS: SameTools = {
  run_shell_command: { tool: "bash" },
  read_file: { tool: "read", args: { file_path: "path" } },
  write_file: { tool: "write", args: { file_path: "path" } },
  edit: { tool: "edit", args: { file_path: "path" }, isEdit: true },
  glob: { tool: "find" },
  grep_search: { tool: "grep" },
  list_directory: { tool: "ls" },
};

/** Its tool that starts a sub-agent. */
export const SPAWN = { name: "agent", prompt: "prompt", type: "subagent_type", otherwise: "general-purpose" };

/** What a tool has returned: a text, or parts of which the texts are kept. */
export function contentOf(response: Fields): readonly { readonly type: "text"; readonly text: string }[] {
  const { llmContent } = response;
  if (typeof llmContent === "string") return [{ type: "text", text: llmContent }];
  const parts = Array.isArray(llmContent) ? llmContent : [llmContent ?? ""];
  return parts.map((part: unknown) => {
    if (isFields(part) && typeof part["text"] === "string") return { type: "text", text: part["text"] };
    return { type: "text", text: typeof part === "string" ? part : JSON.stringify(part) };
  });
}
