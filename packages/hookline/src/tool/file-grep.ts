import { withinLimit } from "./file-head.ts";
import { type FilePlaces, type FileTarget, TARGET_PROPERTIES, targetText } from "./file-target.ts";
import { createLineSearch, splitLines } from "./line-search.ts";
import { compilePattern } from "./pattern.ts";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls `file_grep`. */
export type FileGrepInput = FileTarget & {
  readonly pattern: string;
  readonly context_before?: number;
  readonly context_after?: number;
};

const DEFAULT_AROUND = 2;

/**
 * Makes the tool that searches a cached output or a file. Matching lines are shown as `>12:text`, lines around them as
 * ` 13:text`, and `--` marks omitted lines. Source: spec/chibi.md 3.
 */
export function createFileGrepTool(places: FilePlaces): Tool<FileGrepInput> {
  const around = (where: string) => ({
    type: "integer",
    description: `Lines to show ${where} each match (default: ${DEFAULT_AROUND})`,
    default: DEFAULT_AROUND,
  });
  return {
    name: "file_grep",
    label: "file_grep",
    description:
      "Search a cached tool output or a file with a regular expression. Shows the lines that match and those around.",
    promptSnippet: "Search a cached output",
    parameters: {
      type: "object",
      required: ["pattern"],
      properties: {
        ...TARGET_PROPERTIES,
        pattern: { type: "string", description: "Regular expression" },
        context_before: around("before"),
        context_after: around("after"),
      },
    },
    async execute(_toolCallId, { pattern, context_before, context_after, ...target }, signal) {
      const text = targetText(target, places);
      const search = createLineSearch(compilePattern(pattern), { signal });
      let matches: readonly number[];
      try {
        matches = await search.search(text, Number.POSITIVE_INFINITY, target.cache_id ?? target.path ?? "");
      } finally {
        await search.close();
      }
      if (matches.length === 0) return textResult(`No matches found for pattern: ${pattern}`);
      const before = Math.max(0, context_before ?? DEFAULT_AROUND);
      const after = Math.max(0, context_after ?? DEFAULT_AROUND);
      return textResult(withinLimit(inGroups(splitLines(text), matches, before, after)));
    },
  };
}

function inGroups(lines: readonly string[], matches: readonly number[], before: number, after: number): string[] {
  const hits = new Set(matches);
  const shown: string[] = [];
  let last = 0;
  for (const match of matches) {
    const from = Math.max(last + 1, match - before);
    if (last > 0 && from > last + 1) shown.push("--");
    const to = Math.min(lines.length, match + after);
    for (let number = from; number <= to; number++)
      shown.push(`${hits.has(number) ? ">" : " "}${number}:${lines[number - 1]}`);
    last = Math.max(last, to);
  }
  return shown;
}
