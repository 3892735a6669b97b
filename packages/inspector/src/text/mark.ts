import type { Mark } from "../../../hookline/src/inspect/api.ts";

/** What happened, the gravest first, each with its word. */
export const MARKS: readonly (readonly [Mark, string])[] = [
  ["refused", "refused"],
  ["failed", "failed"],
  ["timed-out", "timed out"],
  ["rewrote", "rewrote"],
  ["answered", "answered"],
  ["shadow", "shadow"],
];

/** The filter for moments at which a hook said or did anything. */
export const ANY_MARK: string = MARKS.map(([mark]) => mark).join(",");

/** The number of moments with each mark, in words: `1 refused · 15 rewrote`. */
export function markCounts(marks: Readonly<Partial<Record<Mark, number>>>): string {
  return MARKS.flatMap(([mark, word]) => (marks[mark] === undefined ? [] : [`${marks[mark]} ${word}`])).join(" · ");
}

/** The gravest of what happened at a moment. */
export function gravest(marks: readonly Mark[]): Mark | undefined {
  return MARKS.find(([mark]) => marks.includes(mark))?.[0];
}
