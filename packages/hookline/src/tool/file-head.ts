import { truncateHead } from "@hookline/ground";
import { type FilePlaces, type FileTarget, TARGET_PROPERTIES, targetText } from "./file-target.ts";
import { splitLines } from "./line-search.ts";
import { limitOf, textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls `file_head` or `file_tail`. */
export type FileEndInput = FileTarget & { readonly lines?: number };

/** Default number of lines of file_head and file_tail. */
export const DEFAULT_END_LINES = 50;

/** The schema of the number of lines to read. */
export const END_LINES_PROPERTY = {
  type: "integer",
  description: `Number of lines (default: ${DEFAULT_END_LINES})`,
  default: DEFAULT_END_LINES,
} as const;

/** Makes the tool that reads the first lines of a cached output or a file. */
export function createFileHeadTool(places: FilePlaces): Tool<FileEndInput> {
  return {
    name: "file_head",
    label: "file_head",
    description:
      "Read the first lines of a cached tool output or of a file, to look at the beginning of a large output.",
    promptSnippet: "Read the first lines of a cached output",
    parameters: { type: "object", properties: { ...TARGET_PROPERTIES, lines: END_LINES_PROPERTY } },
    async execute(_toolCallId, input) {
      const lines = splitLines(targetText(input, places)).slice(0, limitOf(input.lines, DEFAULT_END_LINES));
      return textResult(withinLimit(lines));
    },
  };
}

/** Joins lines up to the size limit of a tool's result, with a note if some are left out. */
export function withinLimit(lines: readonly string[]): string {
  const { content, truncated, outputLines } = truncateHead(lines.join("\n"));
  if (!truncated) return content;
  return `${content}\n[${outputLines} of ${lines.length} lines shown; ask for fewer lines at a time, or use file_grep.]`;
}
