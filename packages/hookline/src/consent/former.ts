import type { Approval, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "./approved-texts.ts";

/** The properties by which a hook or server is recognised although its definition changed; undefined if missing. */
interface Identity {
  readonly name: unknown;
  readonly text: unknown;
  readonly events: string;
  readonly line: number | undefined;
}

/**
 * Points for the equal properties of a new and an approved definition. An equal name or command alone is enough to
 * treat them as the same definition.
 */
const POINTS = { name: 8, text: 4, events: 2, line: 1 };

/**
 * Finds the previous approval of each definition; a new definition has none. An unchanged definition only matches its
 * own approval. If a person approved only some definitions of a file, the others still count as new.
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

/** Matches the definitions in one file with the approvals for that file. */
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
  // If it is unknown what else the file contained, only an equal name or command shows that it is the same definition.
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

/** Reads the identifying properties from a definition's canonical JSON, in any dialect. */
function identityOf(definition: string, line: number | undefined): Identity {
  let given: Readonly<Record<string, unknown>> = {};
  try {
    const { definition: own } = JSON.parse(definition) as { readonly definition?: unknown };
    if (typeof own === "object" && own !== null) given = own as typeof given;
  } catch {
    // A definition that is not valid JSON has no identifying properties.
  }
  const { name, text, command, events, event } = given;
  return { name, text: text ?? command, events: JSON.stringify(events ?? event ?? []), line };
}
