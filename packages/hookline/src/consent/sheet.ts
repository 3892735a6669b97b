import type { Approval, ConsentState, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "./approved-texts.ts";
import { formersOf } from "./former.ts";

/** One definition for a person to approve, and its previous approval. */
export interface Entry {
  readonly review: Review;
  /** This entry's previous approval; absent if it was never approved. */
  readonly former?: Approval;
  /** `changed` only if this entry itself was approved, not one beside it. */
  readonly verdict: ConsentState;
}

/** The entries of one file, which a person is asked about together. */
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

/** An entry that a person has approved, and the files and folders to which they bind it. */
export interface Agreed {
  readonly review: Review;
  readonly bound?: readonly string[];
}

/**
 * Entries in the form in which they are approved: with `true`, those that leave something open are bound to what closes it,
 * else all are bound to the given files and folders, besides those to which they are bound already.
 */
export function agreedTo(entries: readonly Entry[], bound: boolean | readonly string[] = false): Agreed[] {
  return entries.map(({ review }) => {
    if (bound === false) return { review };
    const more = bound === true ? closing(review) : bound;
    return { review, bound: [...new Set([...review.bound.map(({ path }) => path), ...more])] };
  });
}

/** A bound file may start others, which are bound in turn. */
const MOST_ROUNDS = 8;

/** The files and folders that close what a review leaves open; none if it leaves nothing open. */
function closing(review: Review): readonly string[] {
  let bound: readonly string[] = [];
  let { open } = review;
  for (let round = 0; round < MOST_ROUNDS && open.length > 0; round++) {
    const next = new Set([...bound, ...open.flatMap(({ bind }) => bind ?? [review.bindable])]);
    if (next.size === bound.length) break;
    bound = [...next];
    open = review.bind(bound).open ?? [];
  }
  return bound;
}

/** The files and folders that close what entries leave open. */
export function closingAll(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ review }) => closing(review)))];
}

/** Whether an entry needs a person's approval. */
export function isWaiting({ verdict }: Entry): boolean {
  return verdict !== "approved";
}
