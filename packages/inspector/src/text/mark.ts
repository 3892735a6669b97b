import type { Did, Mark } from "../../../hookline/src/inspect/api.ts";
import { counted } from "./format.ts";

/** The kinds of hooks' actions at a moment, each with its word on the page; the most serious first. */
export const MARKS: readonly (readonly [Mark, string])[] = [
  ["refused", "refused"],
  ["failed", "failed"],
  ["timed-out", "timed out"],
  ["rewrote", "rewrote"],
  ["answered", "answered"],
  ["shadow", "shadow"],
];

/** The filter for moments at which a hook decided or changed something, or failed. */
export const ACTED = "refused,failed,timed-out,rewrote,shadow,allow,ask";

/**
 * Returns how often hooks acted, for each action that moments can be filtered by, the most serious first: `1 refused`,
 * `15 rewrote`.
 */
export function countsOf({ marks }: Did): readonly (readonly [mark: Mark, text: string])[] {
  return MARKS.flatMap(([mark, word]) => {
    const count = mark === "answered" ? undefined : marks[mark];
    return count === undefined ? [] : [[mark, `${counted(count)} ${word}`] as const];
  });
}

/** Returns the most serious of the hooks' actions at a moment. */
export function gravest(marks: readonly Mark[]): Mark | undefined {
  return MARKS.find(([mark]) => marks.includes(mark))?.[0];
}
