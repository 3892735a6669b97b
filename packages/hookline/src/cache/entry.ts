import { createHash } from "node:crypto";

/** A cached output, as its `.meta.json` describes it. Source: spec/chibi.md 3. */
export interface CacheEntry {
  readonly id: string;
  readonly tool_name: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly args_hash: string;
  /** The size in UTF-8 bytes, under chibi's name for it. */
  readonly char_count: number;
  readonly token_estimate: number;
  readonly line_count: number;
}

/** An output of a tool call that may be cached. */
export interface Output {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The length of an output in bytes, estimated tokens and lines. */
export interface Size {
  readonly charCount: number;
  readonly tokenEstimate: number;
  readonly lineCount: number;
}

/** Counts bytes, tokens (one per four bytes) and lines. A final line break ends the last line. */
export function sizeOf(text: string): Size {
  const charCount = Buffer.byteLength(text);
  const breaks = text.split("\n").length - 1;
  const lineCount = text === "" || text.endsWith("\n") ? breaks : breaks + 1;
  return { charCount, tokenEstimate: Math.floor(charCount / 4), lineCount };
}

/** Whether an output should be cached: longer than the threshold, not blank, not an error. */
export function isLarge(text: string, threshold: number): boolean {
  return !text.startsWith("Error:") && Buffer.byteLength(text) > threshold && text.trim() !== "";
}

/** Describes an output. Its id has chibi's form, `TOOL_TIME_HASH`; a `number` above 1 is appended. */
export function newEntry({ tool, args, text }: Output, seconds: number, number: number): CacheEntry {
  const hash = createHash("sha256").update(JSON.stringify(args)).digest("hex");
  const name = tool.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100);
  const { charCount, tokenEstimate, lineCount } = sizeOf(text);
  return {
    id: `${name}_${seconds.toString(16)}_${hash.slice(0, 8)}${number > 1 ? `_${number}` : ""}`,
    tool_name: tool,
    timestamp: seconds,
    args_hash: hash.slice(0, 16),
    char_count: charCount,
    token_estimate: tokenEstimate,
    line_count: lineCount,
  };
}

/** Parses the text of a `.meta.json`; undefined if it describes no cached output. */
export function readEntry(text: string): CacheEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entry = value as Partial<CacheEntry> | null;
  if (typeof entry?.id !== "string" || !isCacheId(entry.id) || typeof entry.timestamp !== "number") return undefined;
  const { id, timestamp, tool_name = "", args_hash = "", char_count = 0, token_estimate = 0, line_count = 0 } = entry;
  return { id, tool_name, timestamp, args_hash, char_count, token_estimate, line_count };
}

/** Whether a text has the form of a cache id, which makes it safe in a path. */
export function isCacheId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}
