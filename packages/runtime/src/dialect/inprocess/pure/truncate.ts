/** Lines and bytes that a tool's text may have, in pi and omp. */
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;

interface Limits {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** What was kept of a text, and why no more; bytes are of UTF-8. */
export interface Truncation {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: "lines" | "bytes" | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly lastLinePartial: boolean;
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** Keeps whole lines from the start of a text. */
export function truncateHead(content: string, limits: Limits = {}): Truncation {
  const lines = linesOf(content);
  const { kept, by } = take(lines, limits);
  const text = by === null ? content : kept.join("\n");
  return result(content, lines, limits, text, kept.length, by, {
    firstLineExceedsLimit: by === "bytes" && kept.length === 0,
  });
}

/** Keeps whole lines from the end of a text, or the end of its last line where that alone is too long. */
export function truncateTail(content: string, limits: Limits = {}): Truncation {
  const lines = linesOf(content);
  const { kept, by } = take(lines.toReversed(), limits);
  if (by === "bytes" && kept.length === 0) {
    const end = endOf(lines.at(-1) ?? "", limits.maxBytes ?? DEFAULT_MAX_BYTES);
    return result(content, lines, limits, end, 1, by, { lastLinePartial: true });
  }
  return result(content, lines, limits, by === null ? content : kept.reverse().join("\n"), kept.length, by, {});
}

/** Cuts one line to a number of characters and says so at its end. */
export function truncateLine(line: string, maxChars = 500): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

/** A number of bytes as people read it: `12B`, `50.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

function linesOf(content: string): string[] {
  if (content === "") return [];
  const lines = content.split("\n");
  if (content.endsWith("\n")) lines.pop();
  return lines;
}

function take(lines: readonly string[], limits: Limits): { kept: string[]; by: Truncation["truncatedBy"] } {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    if (kept.length >= maxLines) return { kept, by: "lines" };
    bytes += bytesOf(line) + (kept.length > 0 ? 1 : 0);
    if (bytes > maxBytes) return { kept, by: "bytes" };
    kept.push(line);
  }
  return { kept, by: null };
}

function result(
  content: string,
  lines: readonly string[],
  { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: Limits,
  text: string,
  outputLines: number,
  truncatedBy: Truncation["truncatedBy"],
  marks: Partial<Pick<Truncation, "lastLinePartial" | "firstLineExceedsLimit">>,
): Truncation {
  return {
    content: text,
    truncated: truncatedBy !== null,
    truncatedBy,
    totalLines: lines.length,
    totalBytes: bytesOf(content),
    outputLines,
    outputBytes: bytesOf(text),
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    ...marks,
    maxLines,
    maxBytes,
  };
}

/** The end of a text in at most so many bytes; a character is kept whole or not at all. */
function endOf(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  let start = bytes.length - maxBytes;
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
