import { roleOf, type SessionEntry } from "./entry.ts";
import { textIn } from "./text.ts";

/** An entry's text on one line, preceded by its author; undefined if it has nothing for a person. */
export function wordsOf(entry: SessionEntry, characters: number): string | undefined {
  const oneLine = (text: string): string => cutLine(text, characters);
  if (entry.type === "compaction" || entry.type === "branch_summary") return `${entry.type}: ${oneLine(entry.summary)}`;
  if (entry.type === "custom_message") return `${entry.customType}: ${oneLine(textIn(entry.content, ""))}`;
  const role = roleOf(entry);
  if (entry.type !== "message" || role === undefined || role === "toolResult") return undefined;
  if (entry.message.role === "bashExecution") return `! ${oneLine(entry.message.command)}`;
  return "content" in entry.message ? `${role}: ${oneLine(textIn(entry.message.content, " "))}` : undefined;
}

/** A text on one line, cut to a number of characters. */
export function cutLine(text: string, characters: number): string {
  // Text far after the cut need not be processed.
  const line = text
    .slice(0, characters * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > characters ? `${line.slice(0, characters - 1)}…` : line;
}
