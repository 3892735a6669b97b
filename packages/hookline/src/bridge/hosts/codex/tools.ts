import type { SameTools } from "../../moment/tool-names.ts";
import type { Fields } from "../../payload.ts";

/** Codex's names of tools that hookline has too, with the same arguments. All others keep their names. */
export const TOOLS: SameTools = { Bash: { tool: "bash" } };

/** What a tool has returned, as blocks: Codex gives a text, and of an MCP tool the blocks of the protocol. */
export function contentOf(response: unknown): readonly { readonly type: "text"; readonly text: string }[] {
  const { content } = (response ?? {}) as Fields;
  if (Array.isArray(content)) return content as never;
  return [{ type: "text", text: typeof response === "string" ? response : JSON.stringify(response ?? "") }];
}
