import { withinLimit } from "./file-head.ts";
import { type FilePlaces, type FileTarget, TARGET_PROPERTIES, targetText } from "./file-target.ts";
import { splitLines } from "./line-search.ts";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls `file_lines`. */
export type FileLinesInput = FileTarget & { readonly start: number; readonly end: number };

/** Makes the tool that reads a range of lines. Lines count from 1, and the range includes both ends. */
export function createFileLinesTool(places: FilePlaces): Tool<FileLinesInput> {
  return {
    name: "file_lines",
    label: "file_lines",
    description: "Read a range of lines of a cached tool output or of a file. Lines are counted from 1.",
    promptSnippet: "Read a range of lines of a cached output",
    parameters: {
      type: "object",
      required: ["start", "end"],
      properties: {
        ...TARGET_PROPERTIES,
        start: { type: "integer", description: "First line, counted from 1" },
        end: { type: "integer", description: "Last line, included" },
      },
    },
    async execute(_toolCallId, { start, end, ...target }) {
      const text = targetText(target, places);
      if (start < 1) throw new Error("Lines are counted from 1: start must be 1 or more.");
      if (end < start) throw new Error("end must not be before start.");
      return textResult(withinLimit(splitLines(text).slice(start - 1, end)));
    },
  };
}
