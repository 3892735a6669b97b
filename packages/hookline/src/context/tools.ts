import type { Post } from "../mail/send.ts";
import { createCacheListTool } from "../tool/cache-list.ts";
import { createFileGrepTool } from "../tool/file-grep.ts";
import { createFileHeadTool } from "../tool/file-head.ts";
import { createFileLinesTool } from "../tool/file-lines.ts";
import { createFileTailTool } from "../tool/file-tail.ts";
import type { FilePlaces } from "../tool/file-target.ts";
import { createSendMessageTool } from "../tool/send-message.ts";
import type { Tool } from "../tool/tool.ts";
import { createUpdateGoalsTool } from "../tool/update-goals.ts";
import { createUpdateReflectionTool } from "../tool/update-reflection.ts";
import { createUpdateTodosTool } from "../tool/update-todos.ts";

/** A tool of chibi, and the `type` that hooks see for it. */
export interface ContextTool {
  readonly tool: Tool;
  readonly type: "builtin" | "file";
}

/** The texts, inbox and files of the tools. They are looked up at each call, because the context may change. */
export interface ToolPlaces extends FilePlaces {
  saveTodos(content: string): void;
  saveGoals(content: string): void;
  saveReflection(content: string): void;
  post(): Post;
}

/** The names of chibi's built-in tools. */
export const CONTEXT_TOOLS: readonly string[] =
  "update_todos update_goals send_message update_reflection file_head file_tail file_lines file_grep cache_list".split(
    " ",
  );

/** Returns chibi's tools by name, in chibi's order. Source: seed 004, spec/chibi.md 1.2. */
export function contextTools(places: ToolPlaces): ReadonlyMap<string, ContextTool> {
  const builtin: readonly Tool[] = [
    createUpdateTodosTool((content) => places.saveTodos(content)),
    createUpdateGoalsTool((content) => places.saveGoals(content)),
    createSendMessageTool(() => places.post()),
    createUpdateReflectionTool((content) => places.saveReflection(content)),
  ];
  const file: readonly Tool[] = [
    createFileHeadTool(places),
    createFileTailTool(places),
    createFileLinesTool(places),
    createFileGrepTool(places),
    createCacheListTool(places),
  ];
  return new Map<string, ContextTool>([
    ...builtin.map((tool) => [tool.name, { tool, type: "builtin" }] as const),
    ...file.map((tool) => [tool.name, { tool, type: "file" }] as const),
  ]);
}
