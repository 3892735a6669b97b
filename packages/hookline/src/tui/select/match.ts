import { fuzzyFilter } from "@earendil-works/pi-tui";

/** Items by a search text: first those that hold every word of it, in their order; where none does, those that are near it. */
export function matching<T>(items: readonly T[], query: string, textOf: (item: T) => string): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  const exact = items.filter((item) => {
    const text = textOf(item);
    return words.every((word) => text.includes(word));
  });
  return exact.length > 0 ? exact : fuzzyFilter([...items], query, textOf);
}
