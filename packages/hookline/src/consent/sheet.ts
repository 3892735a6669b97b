import type { Approval, Review, Verdict } from "@hookline/runtime/internal";
import type { ApprovedTexts } from "./approved-texts.ts";
import { formersOf } from "./former.ts";

/** One definition that a person is asked about, and what it was when it was approved. */
export interface Entry {
  readonly review: Review;
  /** The approval that this entry had; absent for one that nobody has approved. */
  readonly former?: Approval;
  /** `changed` only for an entry that was approved itself, whatever was approved beside it. */
  readonly verdict: Verdict;
}

/** What a person is asked about at once: all entries of one file. */
export interface Sheet {
  /** The file, with links resolved. */
  readonly path: string;
  readonly entries: readonly Entry[];
}

/** Puts the definitions of one file together, in the order in which they were found. */
export function sheetsOf(reviews: readonly Review[], approvals: readonly Approval[], texts: ApprovedTexts): Sheet[] {
  const entries = entriesOf(reviews, approvals, texts);
  return [...Map.groupBy(entries, ({ review }) => review.print.path)].map(([path, there]) => ({
    path,
    entries: there,
  }));
}

/** Each definition with what it was. All of a file must be given, or an entry may be taken for its neighbour. */
export function entriesOf(reviews: readonly Review[], approvals: readonly Approval[], texts: ApprovedTexts): Entry[] {
  const formers = formersOf(reviews, approvals, texts);
  return reviews.map((review) => {
    const former = formers.get(review);
    if (former !== undefined) return { review, former, verdict: review.verdict };
    return { review, verdict: review.verdict === "approved" ? "approved" : "pending" };
  });
}

/** An entry that a person has agreed to, and the folder that they bind it to. */
export interface Agreed {
  readonly review: Review;
  readonly boundTo?: string;
}

/** Entries as they are agreed to: with `bound`, those that leave something open are bound to their folder, or to that one. */
export function agreedTo(entries: readonly Entry[], bound: boolean | string | undefined = false): Agreed[] {
  return entries.map(({ review }) => {
    if (bound === false || bound === undefined || (typeof bound === "boolean" && !isLeavingOpen(review)))
      return { review };
    return { review, boundTo: typeof bound === "string" ? bound : review.bindable };
  });
}

/** Whether an approval of these bytes alone would not cover all that runs. */
export function isLeavingOpen({ print }: Review): boolean {
  return (print.open?.length ?? 0) > 0;
}

/** Whether an entry waits for a person's word. */
export function isWaiting({ verdict }: Entry): boolean {
  return verdict !== "approved";
}
