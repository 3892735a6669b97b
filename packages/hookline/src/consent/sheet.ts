import type { Approval, ConsentState, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "./approved-texts.ts";
import { formersOf } from "./former.ts";

/** A definition that a person must approve, such as that of a hook or a skill, and its previous approval. */
export interface Entry {
  readonly review: Review;
  /** The previous approval of this definition; absent if it was never approved. */
  readonly former?: Approval;
  /** The state of the consent: `changed` only if this definition itself, not just its file, was approved before. */
  readonly verdict: ConsentState;
}

/** The definitions in one file. A person is asked about all of them at once. */
export interface Sheet {
  /** The real path of the file. */
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
 * Pairs each definition with its previous approval. All definitions of a file must be given: otherwise one may be
 * mistaken for another.
 */
export function entriesOf(reviews: readonly Review[], approvals: readonly Approval[], texts: ApprovedTexts): Entry[] {
  const formers = formersOf(reviews, approvals, texts);
  return reviews.map((review) => {
    const former = formers.get(review);
    if (former !== undefined) return { review, former, verdict: review.verdict };
    return { review, verdict: review.verdict === "approved" ? "approved" : "pending" };
  });
}

/** A definition that a person has approved. Any change in the `bound` files and folders ends the approval. */
export interface Agreed {
  readonly review: Review;
  readonly bound?: readonly string[];
}

/**
 * Extends approvals to more files and folders, so that any change in these requires a new approval. `true` adds to each
 * approval the files that would run but that it does not cover. A list adds the given paths to all approvals. Paths
 * that an approval covers already are kept.
 */
export function agreedTo(entries: readonly Entry[], bound: boolean | readonly string[] = false): Agreed[] {
  return entries.map(({ review }) => {
    if (bound === false) return { review };
    const more = bound === true ? closing(review) : bound;
    return { review, bound: [...new Set([...review.bound.map(({ path }) => path), ...more])] };
  });
}

/** A file that is added to an approval may start others, which are then added too. This ends after so many rounds. */
const MOST_ROUNDS = 8;

/** Returns the files and folders to which an approval must be bound so that it covers everything that would run. */
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

/** Returns the files and folders to which approvals must be bound to cover everything that would run. */
export function closingAll(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ review }) => closing(review)))];
}

/** Whether a definition needs a person's approval. */
export function isWaiting({ verdict }: Entry): boolean {
  return verdict !== "approved";
}
