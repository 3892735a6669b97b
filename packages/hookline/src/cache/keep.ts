import type { Emit } from "../hook/emit.ts";
import { type CacheEntry, isLarge, type Output, sizeOf } from "./entry.ts";
import { storeOutput } from "./store.ts";

/** Says which outputs are cached, and how much of them the model sees. */
export interface CacheSettings {
  /** The size in bytes above which an output is cached. */
  readonly threshold: number;
  readonly previewChars: number;
}

/** The default cache settings, which are chibi's. */
export const CACHE_DEFAULTS: CacheSettings = { threshold: 4000, previewChars: 500 };

/** The folder, the settings and the callbacks with which `keepOutput` caches an output. */
export interface Keeping {
  readonly folder: string;
  readonly settings: CacheSettings;
  readonly emit: Emit;
  /** Is called if an output could not be stored. */
  onFailure(error: unknown): void;
}

/**
 * Caches a large output and returns the text that the model sees instead. Returns undefined if the model sees the whole
 * output: it is small or an error, a hook wants that, or storing failed.
 */
export async function keepOutput(
  { folder, settings, emit, onFailure }: Keeping,
  call: Output & { readonly toolCallId: string },
): Promise<string | undefined> {
  const { toolCallId, tool, args, text } = call;
  if (!isLarge(text, settings.threshold)) return undefined;
  const { charCount, tokenEstimate, lineCount } = sizeOf(text);
  const who = { toolCallId, tool };
  const { answer } = await emit("tool.cache-before", { ...who, args, content: text, charCount, lineCount });
  if (answer.keep === false) return undefined;
  try {
    const entry = storeOutput(folder, call);
    await emit("tool.cached", { ...who, cacheId: entry.id, charCount, tokenEstimate, lineCount });
    const { summary } = answer;
    return shownText(entry, summary ? { summary } : { preview: previewOf(text, settings.previewChars) });
  } catch (error) {
    onFailure(error);
    return undefined;
  }
}

/** The part of a cached output that the model sees: its beginning, or a hook's summary. */
type Shown = { readonly preview: string } | { readonly summary: string };

/**
 * Returns the text that the model sees instead of the output. Source: spec/chibi.md 3, with its recommendation for
 * summaries.
 */
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

/** Returns the start of a text in whole lines, or in whole characters if the first line is too long. */
export function previewOf(text: string, maxChars: number): string {
  // A character takes at most two code units.
  const start = [...text.slice(0, maxChars * 2)].slice(0, maxChars).join("");
  const end = start.lastIndexOf("\n");
  return end < 0 ? start : start.slice(0, end);
}
