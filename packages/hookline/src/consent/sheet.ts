import type { Approval, ConsentState, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "./approved-texts.ts";
import { formersOf } from "./former.ts";

/** One definition for a person to approve, and its previous approval. */
export interface Entry {
  readonly review: Review;
  /** The previous approval of this entry; absent if it was never approved. */
  readonly former?: Approval;
  /** `changed` if this entry was approved in another form; not if only another entry of its file was approved. */
  readonly verdict: ConsentState;
}

/** The entries of one file. A person is asked about all of them at once. */
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
 * Pairs each definition with its previous approval. All definitions of a file must be given: otherwise an entry may be
 * mistaken for another one of the file.
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
 * Binds entries to files and folders, so that any change in these requires a new approval. `true` binds each entry to
 * what its own approval would leave uncovered. A list binds all entries to the given paths, in addition to those to
 * which they are bound already.
 */
export function agreedTo(entries: readonly Entry[], bound: boolean | readonly string[] = false): Agreed[] {
  return entries.map(({ review }) => {
    if (bound === false) return { review };
    const more = bound === true ? closing(review) : bound;
    return { review, bound: [...new Set([...review.bound.map(({ path }) => path), ...more])] };
  });
}

/** A bound file may start further files; binding them in turn ends after this many rounds. */
const MOST_ROUNDS = 8;

/** Returns the files and folders to which an entry must be bound so that its approval covers everything it runs. */
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

/**
 * Returns the files and folders to which several entries must be bound so that their approvals cover everything they
 * run.
 */
export function closingAll(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ review }) => closing(review)))];
}

/** Whether an entry needs a person's approval. */
export function isWaiting({ verdict }: Entry): boolean {
  return verdict !== "approved";
}
