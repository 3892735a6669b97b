import { textOf } from "@hookline/runtime";
import type { ToolResultMessage } from "@hookline/runtime/internal";
import type { SessionProjection } from "../session/context.ts";
import { foldedText } from "./texts.ts";

/** How many of the newest tool results are left alone. Source: spec/jcli.md 5. */
export const KEPT_RESULTS = 10;
/** Shorter results are not worth folding. */
const MIN_CHARACTERS = 800;
/** Tools whose results stay: they are valid until the next result of the tool. */
const EXEMPT: ReadonlySet<string> = new Set([
  "ask",
  "todo",
  "register_hook",
  "update_todos",
  "update_goals",
  "update_reflection",
  "send_message",
]);

/** One old tool result and its replacement. */
export interface Folding {
  readonly entryId: string;
  readonly content: string;
}

/** The tool results that a micro compaction folds: long ones, except the newest, of tools that are not exempt. */
export function foldable({ entries }: SessionProjection, kept = KEPT_RESULTS): Folding[] {
  const results: { readonly id: string; readonly message: ToolResultMessage }[] = [];
  for (const { sourceEntry, messages } of entries) {
    const [message] = messages;
    if (sourceEntry.type === "message" && message?.role === "toolResult") results.push({ id: sourceEntry.id, message });
  }
  return results.slice(0, Math.max(0, results.length - kept)).flatMap(({ id, message }): Folding[] => {
    const { toolName, content } = message;
    const isLong = [...textOf(content)].length > MIN_CHARACTERS || content.some(({ type }) => type === "image");
    return isLong && !EXEMPT.has(toolName) ? [{ entryId: id, content: foldedText(toolName) }] : [];
  });
}
