import { DEFAULT_MAX_BYTES, formatSize, truncateHead } from "@hookline/ground";
import type { ToolResult } from "./tool.ts";

/** The lines that a tool lists, and notices about omitted lines. */
export interface Listing {
  readonly lines: readonly string[];
  /** A notice about the tool's own limit, which comes first. */
  readonly limit?: string;
  /** Notices that follow the notice about the size limit. */
  readonly notices?: readonly string[];
  /** Details of the result for hooks, to which `listingResult` adds `truncation`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Turns a listing into a result, cut to whole lines. The notices are in one bracket at the end. */
export function listingResult(listing: Listing): ToolResult {
  const truncation = truncateHead(listing.lines.join("\n"), { maxLines: Number.MAX_SAFE_INTEGER });
  const notices = [
    ...(listing.limit === undefined ? [] : [listing.limit]),
    ...(truncation.truncated ? [`${formatSize(DEFAULT_MAX_BYTES)} limit reached`] : []),
    ...(listing.notices ?? []),
  ];
  const details = truncation.truncated ? { ...listing.details, truncation } : listing.details;
  return {
    content: [{ type: "text", text: truncation.content + noticeText(notices) }],
    details: Object.keys(details).length > 0 ? details : undefined,
  };
}

/** Makes a result with a single text. */
export function textResult(text: string, details?: unknown): ToolResult {
  return { content: [{ type: "text", text }], details };
}

/** Converts a limit from the model to a whole number of at least one. */
export function limitOf(given: number | undefined, byDefault: number): number {
  return Math.max(1, Math.floor(given ?? byDefault));
}

function noticeText(notices: readonly string[]): string {
  return notices.length > 0 ? `\n\n[${notices.join(". ")}]` : "";
}
