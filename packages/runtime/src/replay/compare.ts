import type { CatalogRow } from "../catalog/row.ts";
import { deciderOf, editorOf, failuresOf, handSame, type SideAnswer } from "./decision.ts";

/** The ways in which the candidate may differ from the baseline; the first that applies counts. */
export const CLASSES = ["failing", "newlyDenied", "newlyAllowed", "newlyAsked", "rewritten", "slower", "same"] as const;
/** One of `CLASSES`. */
export type Class = (typeof CLASSES)[number];

/** The reason why a difference at a moment is not counted, although hooks were asked. */
export type NotJudged = "redacted" | "no-model" | "no-payload" | "not-started";

/** The class of the difference at a moment, with the hook that caused it. */
export interface MomentClass {
  readonly class: Class;
  readonly hook?: string | undefined;
}

const SAME: MomentClass = { class: "same" };
const RANK = { deny: 2, ask: 1, allow: 0 } as const;

/** The difference in milliseconds below which nothing counts as slower, because the machine could be the cause. */
const LEAST_MS = 10;

/**
 * Compares the answers of baseline and candidate at one moment. If `slower` is 2, the candidate counts as slower when
 * it took more than twice as long.
 */
export function compare(
  row: CatalogRow,
  payload: Readonly<Record<string, unknown>>,
  {
    before,
    after,
    slower,
  }: { readonly before: SideAnswer; readonly after: SideAnswer; readonly slower: number | undefined },
): MomentClass {
  const failed = failuresOf(after);
  if (failed.length > 0) {
    const known = failuresOf(before);
    const fresh = failed.find((hook) => !known.includes(hook));
    if (fresh !== undefined) return { class: "failing", hook: fresh };
  }
  if (RANK[after.decision] !== RANK[before.decision]) {
    if (after.decision === "deny") return { class: "newlyDenied", hook: deciderOf(row, after) };
    if (after.decision === "ask" && before.decision === "allow")
      return { class: "newlyAsked", hook: deciderOf(row, after) };
    // A refusal that became a question counts as newly allowed, because a person may allow it.
    return { class: "newlyAllowed", hook: deciderOf(row, before) };
  }
  // A refused value goes no further, so changes of it do not matter.
  if (after.decision !== "deny" && !handSame(before, after, payload))
    return {
      class: "rewritten",
      hook: editorOf(after, before) ?? editorOf(before, after) ?? deciderOf(row, after) ?? deciderOf(row, before),
    };
  if (slower !== undefined && after.ms > before.ms * slower && after.ms - before.ms >= LEAST_MS)
    return { class: "slower", hook: slowest(after, before) };
  return SAME;
}

function slowest(after: SideAnswer, before: SideAnswer): string | undefined {
  const were = new Map(before.hooks.map(({ hook, ms }) => [hook, ms]));
  const more = ({ hook, ms }: SideAnswer["hooks"][number]): number => ms - (were.get(hook) ?? 0);
  return [...after.hooks].sort((a, b) => more(b) - more(a))[0]?.hook;
}
