import type { TrustStore } from "@hookline/runtime";
import type { Approval, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "./approved-texts.ts";
import type { Agreed } from "./sheet.ts";

/**
 * Records a person's approval of exactly the definitions that were shown. `all` are the reviews of the whole project:
 * they record which other definitions a file had, so that none of these is later mistaken for an approved one.
 */
export function remember(
  agreed: readonly Agreed[],
  all: readonly Review[],
  store: TrustStore,
  texts: ApprovedTexts,
): Approval[] {
  const approvals = agreed.map((one) => approvalOf(one, new Date()));
  if (approvals.length > 0) store.approve(approvals);
  texts.keep(
    agreed.flatMap(({ review: { print, bytes, secret } }) =>
      print.files.flatMap((file) => (secret.has(file.path) ? [] : [{ ...file, bytes: bytes.get(file.path) }])),
    ),
  );
  const places = new Set(agreed.map(({ review }) => review.print.path));
  texts.keepEntries(all.flatMap(({ print }) => (places.has(print.path) ? [print] : [])));
  return approvals;
}

/** Makes the record of an approval for the trust store. */
export function approvalOf({ review, bound = [] }: Agreed, at: Date): Approval {
  const { candidate, print } = review;
  const { source } = candidate;
  return {
    ...(bound.length === 0 ? print : review.bind(bound)),
    kind: candidate.kind ?? "hook",
    dialect: source.dialect ?? print.lane,
    ...(source.line !== undefined && { line: source.line }),
    ...(source.pointer !== undefined && { pointer: source.pointer }),
    approvedAt: at.toISOString(),
  };
}
