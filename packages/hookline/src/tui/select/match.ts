import { fuzzyFilter } from "@earendil-works/pi-tui";

/** Items for a search text: those that contain every word of it, in order; if there are none, near matches. */
export function matching<T>(items: readonly T[], query: string, textOf: (item: T) => string): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  const exact = items.filter((item) => {
    const text = textOf(item);
    return words.every((word) => text.includes(word));
  });
  return exact.length > 0 ? exact : fuzzyFilter([...items], query, textOf);
}
