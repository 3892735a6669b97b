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

/** The gravest of what happened at a moment. */
export function gravest(marks: readonly Mark[]): Mark | undefined {
  return MARKS.find(([mark]) => marks.includes(mark))?.[0];
}
