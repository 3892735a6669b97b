import type { Approval, Review } from "@hookline/runtime/internal";
import type { ApprovedTexts } from "./approved-texts.ts";

/** What an approval and a definition must have in common to be the same entry, as far as each is known. */
interface Identity {
  readonly name: unknown;
  readonly text: unknown;
  readonly events: string;
  readonly line: number | undefined;
}

/** Points for what two definitions have in common; a name or a command alone is enough to be the same entry. */
const POINTS = { name: 8, text: 4, events: 2, line: 1 };

/**
 * What each definition was when it was approved last; nothing for one that nobody has approved.
 *
 * Entries of one file are told apart: one that is in the file as it was approved is only itself, and one that stood
 * beside the approved ones and was not approved is new, whatever it looks like.
 */
export function formersOf(
  reviews: readonly Review[],
  approvals: readonly Approval[],
  texts: ApprovedTexts,
): ReadonlyMap<Review, Approval> {
  const formers = new Map<Review, Approval>();
  for (const there of Map.groupBy(reviews, ({ print }) => `${print.lane}\0${print.path}`).values())
    matchPlace(there, approvals, texts, formers);
  return formers;
}

/** Matches the definitions at one place with the approvals for it. */
function matchPlace(
  reviews: readonly Review[],
  approvals: readonly Approval[],
  texts: ApprovedTexts,
  formers: Map<Review, Approval>,
): void {
  const [{ print, candidate }] = reviews as [Review];
  const here = approvals
    .filter(({ path, lane }) => path === print.path && lane === print.lane)
    .sort((a, b) => (a.approvedAt < b.approvedAt ? 1 : -1));
  for (const review of reviews) {
    const same = here.find(({ definition }) => definition === review.print.definition);
    if (same !== undefined) formers.set(review, same);
  }
  const left = reviews.filter((review) => !formers.has(review));
  const [latest] = here;
  if (latest === undefined || left.length === 0) return;
  if (candidate.source.line === undefined) {
    for (const review of left) formers.set(review, latest);
    return;
  }
  const beside = texts.entries(latest);
  const gone = here.filter(
    (approval) =>
      ![...formers.values()].includes(approval) && (beside === undefined || beside.includes(approval.definition)),
  );
  const changed = left.filter(({ print: { definition } }) => beside?.includes(definition) !== true);
  // Without the list of what stood in the file, being at the same place proves nothing.
  const enough = beside === undefined ? POINTS.text : POINTS.events;
  const pairs = changed
    .flatMap((review) => gone.map((approval) => ({ review, approval, points: likeness(review, approval) })))
    .filter(({ points }) => points >= enough)
    .sort((a, b) => b.points - a.points);
  const taken = new Set<Approval>();
  for (const { review, approval } of pairs) {
    if (formers.has(review) || taken.has(approval)) continue;
    formers.set(review, approval);
    taken.add(approval);
  }
}

function likeness({ print, candidate }: Review, approval: Approval): number {
  const now = identityOf(print.definition, candidate.source.line);
  const then = identityOf(approval.definition, approval.line);
  const points = (key: keyof Identity): number => (now[key] !== undefined && now[key] === then[key] ? POINTS[key] : 0);
  return points("name") + points("text") + points("events") + points("line");
}

/** Reads what identifies an entry off its canonical definition, whatever its dialect calls it. */
function identityOf(definition: string, line: number | undefined): Identity {
  let given: Readonly<Record<string, unknown>> = {};
  try {
    const { definition: own } = JSON.parse(definition) as { readonly definition?: unknown };
    if (typeof own === "object" && own !== null) given = own as typeof given;
  } catch {
    // An approval that holds no JSON is like nothing.
  }
  const { name, text, command, events, event } = given;
  return { name, text: text ?? command, events: JSON.stringify(events ?? event ?? []), line };
}
