import { hash } from "node:crypto";
import type { TextCache } from "../../port/cache.ts";
import type { EntryRules } from "./entry.ts";
import type { FileReading } from "./hooks-file.ts";

/** Must change whenever the same text is read differently; a test compares it with the results for some files. */
export const READER_VERSION = 2;

/** What a reading depends on besides the reader. */
export interface ReadingOf {
  readonly kind: "list" | "folder";
  readonly text: string;
  readonly rules: EntryRules;
}

/**
 * The reading of a configuration file, from the cache if its text was read before: loading the parser takes longer than
 * everything else. An invalid cache entry is read again.
 */
export async function remembered(
  cache: TextCache | undefined,
  of: ReadingOf,
  read: () => Promise<FileReading>,
): Promise<FileReading> {
  if (cache === undefined) return read();
  const { kind, rules, text } = of;
  const digest = hash("sha256", JSON.stringify([kind, rules.own, rules.lossy, text]));
  const key = `jcli-hooks-${READER_VERSION}-${digest}`;
  const known = asReading(cache.get(key));
  if (known !== undefined) return known;
  const reading = await read();
  cache.put(key, JSON.stringify(reading));
  return reading;
}

/** The cache is this program's own, so it needs no limits like a hook's answer. */
function asReading(text: string | undefined): FileReading | undefined {
  if (text === undefined) return undefined;
  try {
    const { hooks, findings } = JSON.parse(text) as Partial<FileReading>;
    return Array.isArray(hooks) && Array.isArray(findings) ? { hooks, findings } : undefined;
  } catch {
    return undefined;
  }
}
