import { sliceByColumn, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { cleanText } from "@hookline/ground";

/** Longer texts are cut before they are cleaned. No line of a terminal is longer. */
const MOST_CHARACTERS = 2000;

/** Returns an untrusted text as one line, with control characters shown as visible signs. */
export function plainLine(text: string): string {
  return cleanText(text.slice(0, MOST_CHARACTERS), { controls: "show", lines: "fold" }).replace(/ {2,}/g, " ");
}

/** Cuts a possibly styled line to a width. */
export function fit(line: string, width: number): string {
  return width <= 0 ? "" : truncateToWidth(line, width, "…");
}

/** Cuts or pads a line to exactly this width. */
export function cell(line: string, width: number): string {
  const cut = fit(line, width);
  return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

/** Cuts the beginning of a clean, unstyled text to fit a width, because the end of a path says more. */
export function endOf(text: string, width: number): string {
  const size = visibleWidth(text);
  if (size <= width) return text;
  return width <= 1 ? fit(text, width) : `…${sliceByColumn(text, size - width + 1, width - 1)}`;
}

/** Draws a note at the right end of a line; the note is dropped if both do not fit. */
export function withNote(line: string, note: string, width: number): string {
  const noteWidth = visibleWidth(note);
  // The note is dropped if it would cut the line to fewer than 24 columns, which nobody could understand.
  if (note === "" || width - noteWidth - 2 < Math.min(24, visibleWidth(line))) return fit(line, width);
  return `${cell(line, width - noteWidth - 2)}  ${note}`;
}

/** Returns how long ago a time was, as text for a person. */
export function ago(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (!Number.isFinite(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 14) return days === 1 ? "1 day ago" : `${days} days ago`;
  return new Date(then).toISOString().slice(0, 10);
}
