import type { Emit } from "../hook/emit.ts";
import { isLarge, type Output, sizeOf } from "./entry.ts";
import { previewOf, shownText } from "./shown.ts";
import { storeOutput } from "./store.ts";

/** The settings of the cache. */
export interface CacheSettings {
  /** Outputs longer than this are cached, in bytes. */
  readonly threshold: number;
  readonly previewChars: number;
}

/** chibi's own defaults. */
export const CACHE_DEFAULTS: CacheSettings = { threshold: 4000, previewChars: 500 };

/** What caching an output needs. */
export interface Keeping {
  readonly folder: string;
  readonly settings: CacheSettings;
  readonly emit: Emit;
  /** Called if an output could not be stored. */
  onFailure(error: unknown): void;
}

/**
 * Caches a large output and returns what the model sees instead. Returns undefined if the model gets the whole output:
 * it is small or an error, a hook wants it so, or it could not be stored.
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
