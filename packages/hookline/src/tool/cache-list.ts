import { cachedOutputs } from "../cache/store.ts";
import type { FilePlaces } from "./file-target.ts";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** Makes the tool that lists the cached outputs of the current conversation context, newest first. */
export function createCacheListTool(places: FilePlaces): Tool {
  return {
    name: "cache_list",
    label: "cache_list",
    description: "List the cached tool outputs of this context with their ids, tools, sizes and times.",
    promptSnippet: "List cached outputs",
    parameters: { type: "object", properties: {} },
    async execute() {
      const entries = cachedOutputs(places.cacheFolder());
      if (entries.length === 0) return textResult("No cached outputs found.");
      const told = entries.map(({ id, tool_name, char_count, token_estimate, line_count, timestamp }) =>
        [
          `  ${id} (${tool_name}):`,
          `    Tool: ${tool_name}`,
          `    Size: ${char_count} chars (~${token_estimate} tokens), ${line_count} lines`,
          `    Cached: ${new Date(timestamp * 1000).toISOString().slice(0, 19).replace("T", " ")}`,
        ].join("\n"),
      );
      return textResult(`Cached tool outputs:\n\n${told.join("\n\n")}\n`);
    },
  };
}
