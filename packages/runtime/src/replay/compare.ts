import type { CatalogRow } from "../catalog/row.ts";
import { deciderOf, editorOf, failuresOf, handSame, type SideAnswer } from "./decision.ts";

/** How the candidate differs from the baseline; the first that is true counts. */
export const CLASSES = ["failing", "newlyDenied", "newlyAllowed", "newlyAsked", "rewritten", "slower", "same"] as const;
/** One of them. */
export type Class = (typeof CLASSES)[number];

/** Why a moment was asked and is not judged. */
export type NotJudged = "redacted" | "no-model" | "no-payload" | "not-started";

/** A class, with the hook that it is about. */
export interface MomentClass {
  readonly class: Class;
  readonly hook?: string | undefined;
}

const SAME: MomentClass = { class: "same" };
const RANK = { deny: 2, ask: 1, allow: 0 } as const;

/** Below this, in ms, nothing is slower: it would be the machine and not the hook. */
const LEAST_MS = 10;

/** Compares what two sides said at one moment. `slower`: from how many times on the candidate counts as slower. */
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
    // A refusal that has become a question is one that a person may now allow.
    return { class: "newlyAllowed", hook: deciderOf(row, before) };
  }
  // A refused value is not handed on.
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
