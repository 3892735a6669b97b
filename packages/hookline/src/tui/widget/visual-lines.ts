import { Text } from "@earendil-works/pi-tui";

/** The last lines of a text as drawn at a width, with wrapping, and how many were left out before them. */
export function truncateToVisualLines(
  text: string,
  maxLines: number,
  width: number,
  paddingX = 0,
): { visualLines: string[]; skippedCount: number } {
  const lines = text === "" ? [] : new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, lines.length - maxLines);
  return { visualLines: lines.slice(skippedCount), skippedCount };
}
