import { SIZE_LIMITS } from "../error/size-limits.ts";

/** The maximum number of lines in a tool's text. */
export const DEFAULT_MAX_LINES: number = SIZE_LIMITS.toolLines.most;

/** The maximum size of a tool's text in UTF-8: 50 KB. */
export const DEFAULT_MAX_BYTES: number = SIZE_LIMITS.toolBytes.most;

/** The maximum number of characters that grep shows of one matching line. */
export const GREP_MAX_LINE_LENGTH: number = SIZE_LIMITS.grepLine.most;

/** The limits to which a text is cut. Whichever is reached first applies. */
export interface TruncationOptions {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** The part of a text that was kept, and why it was cut. Bytes are UTF-8. */
export interface TruncationResult {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: "lines" | "bytes" | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  /** Only for `truncateTail`: whether the kept text is the end of one longer line. */
  readonly lastLinePartial: boolean;
  /** Only for `truncateHead`: whether nothing was kept, because the first line alone exceeds the limit. */
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** Formats a number of bytes: `12B`, `50.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

/** Keeps as many whole lines at the beginning of a text as the limits allow. */
export function truncateHead(content: string, options: TruncationOptions = {}): TruncationResult {
  const text = measure(content, options);
  if (fits(text)) return whole(content, text);
  const kept: string[] = [];
  const cut = take(text, text.lines, (line) => kept.push(line));
  return {
    ...report(text, kept.join("\n"), kept.length, cut),
    firstLineExceedsLimit: cut === "bytes" && kept.length === 0,
  };
}

/** Keeps the last whole lines of a text within the limits. If the last line alone is too long, keeps its end. */
export function truncateTail(content: string, options: TruncationOptions = {}): TruncationResult {
  const text = measure(content, options);
  if (fits(text)) return whole(content, text);
  const kept: string[] = [];
  const cut = take(text, text.lines.toReversed(), (line) => kept.push(line));
  if (cut === "bytes" && kept.length === 0) {
    const end = lastBytes(text.lines.at(-1) ?? "", text.maxBytes);
    return { ...report(text, end, 1, cut), lastLinePartial: true };
  }
  return report(text, kept.reverse().join("\n"), kept.length, cut);
}

/** Cuts one line to a number of characters and marks the cut at its end. */
export function truncateLine(line: string, maxChars = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  const last = line.charCodeAt(maxChars - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return { text: `${line.slice(0, splitsPair ? maxChars - 1 : maxChars)}... [truncated]`, wasTruncated: true };
}

/** Returns the end of a text, at most this many bytes of UTF-8. No character is cut in half. */
export function lastBytes(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return decoder.decode(bytes.subarray(start));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

interface Measured extends Required<TruncationOptions> {
  readonly lines: readonly string[];
  readonly totalBytes: number;
}

function measure(content: string, options: TruncationOptions): Measured {
  const lines = content === "" ? [] : content.split("\n");
  if (content.endsWith("\n")) lines.pop();
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = options;
  return { lines, totalBytes: bytesOf(content), maxLines, maxBytes };
}

function fits(text: Measured): boolean {
  return text.lines.length <= text.maxLines && text.totalBytes <= text.maxBytes;
}

function take(text: Measured, lines: readonly string[], keep: (line: string) => void): "lines" | "bytes" {
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    if (index >= text.maxLines) return "lines";
    bytes += bytesOf(line) + (index > 0 ? 1 : 0);
    if (bytes > text.maxBytes) return "bytes";
    keep(line);
  }
  return "lines";
}

function whole(content: string, text: Measured): TruncationResult {
  return { ...report(text, content, text.lines.length, null), truncated: false };
}

function report(
  text: Measured,
  content: string,
  outputLines: number,
  truncatedBy: TruncationResult["truncatedBy"],
): TruncationResult {
  return {
    content,
    truncated: true,
    truncatedBy,
    totalLines: text.lines.length,
    totalBytes: text.totalBytes,
    outputLines,
    outputBytes: bytesOf(content),
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines: text.maxLines,
    maxBytes: text.maxBytes,
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
