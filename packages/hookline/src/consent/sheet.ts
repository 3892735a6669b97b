import type { Approval, Review, Verdict } from "@hookline/runtime/internal";
import type { ApprovedTexts } from "./approved-texts.ts";
import { formersOf } from "./former.ts";

/** One definition for a person to approve, and its previous approval. */
export interface Entry {
  readonly review: Review;
  /** This entry's previous approval; absent if it was never approved. */
  readonly former?: Approval;
  /** `changed` only if this entry itself was approved, not one beside it. */
  readonly verdict: Verdict;
}

/** What a person is asked about together: all entries of one file. */
export interface Sheet {
  /** The file, with links resolved. */
  readonly path: string;
  readonly entries: readonly Entry[];
}

/** Groups the definitions by file, in the order in which they were found. */
export function sheetsOf(reviews: readonly Review[], approvals: readonly Approval[], texts: ApprovedTexts): Sheet[] {
  const entries = entriesOf(reviews, approvals, texts);
  return [...Map.groupBy(entries, ({ review }) => review.print.path)].map(([path, there]) => ({
    path,
    entries: there,
  }));
}

/**
 * Each definition with its previous approval. All definitions of a file must be given, otherwise an entry may be taken
 * for its neighbour.
 */
export function entriesOf(reviews: readonly Review[], approvals: readonly Approval[], texts: ApprovedTexts): Entry[] {
  const formers = formersOf(reviews, approvals, texts);
  return reviews.map((review) => {
    const former = formers.get(review);
    if (former !== undefined) return { review, former, verdict: review.verdict };
    return { review, verdict: review.verdict === "approved" ? "approved" : "pending" };
  });
}

/** An entry that a person has approved, and the folder to which they bind it. */
export interface Agreed {
  readonly review: Review;
  readonly boundTo?: string;
}

/**
 * Entries in the form in which they are approved: with `bound`, those that leave something open are bound to their own
 * folder, or to the given one.
 */
export function agreedTo(entries: readonly Entry[], bound: boolean | string | undefined = false): Agreed[] {
  return entries.map(({ review }) => {
    if (bound === false || bound === undefined || (typeof bound === "boolean" && !isLeavingOpen(review)))
      return { review };
    return { review, boundTo: typeof bound === "string" ? bound : review.bindable };
  });
}

/** Whether an approval of these bytes alone would not cover everything that runs. */
export function isLeavingOpen({ print }: Review): boolean {
  return (print.open?.length ?? 0) > 0;
}

/** Whether an entry needs a person's approval. */
export function isWaiting({ verdict }: Entry): boolean {
  return verdict !== "approved";
}
