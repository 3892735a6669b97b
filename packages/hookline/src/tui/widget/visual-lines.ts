import { Text } from "@earendil-works/pi-tui";

/** Returns the last wrapped lines of a text at a width, and how many lines before them were left out. */
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
