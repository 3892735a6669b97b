import { truncateTail } from "@hookline/ground";
import { DEFAULT_END_LINES, END_LINES_PROPERTY, type FileEndInput } from "./file-head.ts";
import { type FilePlaces, TARGET_PROPERTIES, targetText } from "./file-target.ts";
import { splitLines } from "./line-search.ts";
import { limitOf, textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** Makes the tool that reads the last lines of a cached output or a file. */
export function createFileTailTool(places: FilePlaces): Tool<FileEndInput> {
  return {
    name: "file_tail",
    label: "file_tail",
    description: "Read the last lines of a cached tool output or of a file, to look at the end of a large output.",
    promptSnippet: "Read the last lines of a cached output",
    parameters: { type: "object", properties: { ...TARGET_PROPERTIES, lines: END_LINES_PROPERTY } },
    async execute(_toolCallId, input) {
      const lines = splitLines(targetText(input, places)).slice(-limitOf(input.lines, DEFAULT_END_LINES));
      const { content, truncated, outputLines } = truncateTail(lines.join("\n"));
      const notice = `[The last ${outputLines} of ${lines.length} lines shown; ask for fewer, or use file_grep.]\n`;
      return textResult(truncated ? notice + content : content);
    },
  };
}
