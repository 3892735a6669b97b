import type { CacheEntry } from "./entry.ts";

/** What the model sees of a cached output: a preview, or a hook's summary. */
export type Shown = { readonly preview: string } | { readonly summary: string };

/** The text for the model. Source: spec/chibi.md 3 and its recommendation for a summary. */
export function shownText(entry: CacheEntry, shown: Shown): string {
  const { id, tool_name, char_count, token_estimate, line_count } = entry;
  const [title, text] = "summary" in shown ? ["Summary:", shown.summary] : ["Preview:", shown.preview];
  return [
    `[Output cached: ${id}]`,
    `Tool: ${tool_name} | Size: ${char_count} chars, ~${token_estimate} tokens | Lines: ${line_count}`,
    title,
    "---",
    text,
    "---",
    `Use file_head, file_tail, file_lines, file_grep with cache_id="${id}" to examine.`,
  ].join("\n");
}

/** The start of a text, in whole lines, or in whole characters if the first line alone is too long. */
export function previewOf(text: string, maxChars: number): string {
  // A character takes at most two code units.
  const start = [...text.slice(0, maxChars * 2)].slice(0, maxChars).join("");
  const end = start.lastIndexOf("\n");
  return end < 0 ? start : start.slice(0, end);
}
