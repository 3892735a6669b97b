import { roleOf, type SessionEntry } from "./entry.ts";
import { textIn } from "./text.ts";

/** Formats an entry as one line with its author; undefined if it has no text for a person. */
export function wordsOf(entry: SessionEntry, characters: number): string | undefined {
  const oneLine = (text: string): string => cutLine(text, characters);
  if (entry.type === "compaction" || entry.type === "branch_summary") return `${entry.type}: ${oneLine(entry.summary)}`;
  if (entry.type === "custom_message") return `${entry.customType}: ${oneLine(textIn(entry.content, ""))}`;
  const role = roleOf(entry);
  if (entry.type !== "message" || role === undefined || role === "toolResult") return undefined;
  if (entry.message.role === "bashExecution") return `! ${oneLine(entry.message.command)}`;
  return "content" in entry.message ? `${role}: ${oneLine(textIn(entry.message.content, " "))}` : undefined;
}

/** Puts a text on one line and cuts it to a number of characters. */
export function cutLine(text: string, characters: number): string {
  // Only a bit more text than the cut needs is processed.
  const line = text
    .slice(0, characters * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > characters ? `${line.slice(0, characters - 1)}…` : line;
}
