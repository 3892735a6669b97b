import type { Fields } from "@hookline/ground";

/** The limits to try, from lenient to strict: characters kept of each text, and items kept of each list. */
const STEPS: readonly (readonly [chars: number, items: number])[] = [
  [8192, Number.POSITIVE_INFINITY],
  [2048, Number.POSITIVE_INFINITY],
  [512, 1024],
  [128, 256],
  [32, 64],
  [16, 16],
];

/** Marks the cut end of a text. */
const MARK = "… [truncated]";

/**
 * Returns a copy of the event that fits: long texts are cut, lists lose their middle, and `truncated: true` is added.
 * Returns `undefined` if even the strictest limits do not make it fit. Uncut values are the same objects as before.
 */
export function shorten(event: Fields, fits: (event: Fields) => boolean): Fields | undefined {
  for (const [chars, items] of STEPS) {
    const cut = { ...(cutValue(event, chars, items) as Fields), truncated: true };
    if (fits(cut)) return cut;
  }
  return undefined;
}

function cutValue(value: unknown, chars: number, items: number): unknown {
  if (typeof value === "string") return value.length > chars + MARK.length ? cutText(value, chars) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return cutList(value, chars, items);
  let cut: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const shorter = cutValue(item, chars, items);
    if (shorter === item) continue;
    cut ??= { ...value };
    // Assigning `__proto__` would set the prototype, so every key is defined.
    Object.defineProperty(cut, key, { value: shorter, writable: true, enumerable: true, configurable: true });
  }
  return cut ?? value;
}

/** Keeps the first item, which may be the system message, and the last ones. */
function cutList(list: readonly unknown[], chars: number, items: number): readonly unknown[] {
  const kept = list.length <= items ? list : [list[0], ...list.slice(list.length - items + 1)];
  const cut = kept.map((item) => cutValue(item, chars, items));
  return kept === list && cut.every((item, i) => item === list[i]) ? list : cut;
}

function cutText(text: string, chars: number): string {
  // Does not cut a surrogate pair in half.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars;
  return text.slice(0, end) + MARK;
}
