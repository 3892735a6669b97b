import type { SameTools } from "../../moment/tool-names.ts";
import { type Fields, fieldsOf, isFields } from "../../payload.ts";

const EDIT = { tool: "edit", args: { old_str: "old_string", new_str: "new_string" }, isEdit: true } as const;

/** Copilot CLI's names of tools that hookline has too. Source: spec/hosts/copilot, and its documentation. */
export const TOOLS: SameTools = {
  bash: { tool: "bash" },
  view: { tool: "read" },
  create: { tool: "write", args: { file_text: "content" } },
  edit: EDIT,
  str_replace_editor: EDIT,
  glob: { tool: "find" },
  grep: { tool: "grep" },
};

/** Its tool that starts a sub-agent. */
export const SPAWN = { name: "task", prompt: "prompt", type: "agent_type", otherwise: "general-purpose" };

/** The arguments of a call, which older versions give as a text. */
export function argsIn(payload: Fields): Fields {
  const args = payload["toolArgs"] ?? payload["toolInput"] ?? {};
  return fieldsOf(typeof args === "string" ? JSON.parse(args) : args);
}

/** What the model would be shown of a call that ran. */
export function resultIn(payload: Fields): { readonly text: string; readonly isError: boolean } {
  const { toolResult, error } = payload;
  const { textResultForLlm: text, resultType } = isFields(toolResult) ? toolResult : {};
  if (typeof text === "string") return { text, isError: resultType !== "success" };
  const message = isFields(error) ? error["message"] : error;
  return { text: typeof message === "string" ? message : "", isError: true };
}
