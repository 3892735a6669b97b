import type { Candidate } from "../dialect/dialect.ts";
import type { Fingerprint, HashedFile } from "./fingerprint.ts";

/**
 * `approved`: a person has agreed to exactly this. `changed`: they agreed to something else at this place.
 * `pending`: nobody has been asked.
 */
export type Verdict = "approved" | "changed" | "pending";

/** What a consent says about one definition. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The files that were agreed to; no other is run for it. Absent: whatever is there. */
  readonly files?: readonly HashedFile[];
  /** What to do to have it run, where that is not `hookline trust approve`. */
  readonly remedy?: string;
}

/**
 * Decides whether a project's definition may run. Asked once per definition and load, before anything of it runs.
 * `true` and `false` are `approved`, with whatever files there are, and `pending`. `print` looks at the definition as
 * it is now, and at `more` files.
 */
export interface Consent {
  allows(candidate: Candidate, print: (more?: readonly string[]) => Fingerprint): boolean | Judgement;
}

/** Nothing of a project runs: the default without a person's word. */
export const trustNothing: Consent = { allows: () => false };

/** Everything runs: a person has said so for this run. */
export const trustEverything: Consent = { allows: () => true };

/** Definitions of a project need consent; those of the user, and those approved one by one, do not. */
export function needsConsent(candidate: Candidate): boolean {
  return candidate.source.tier === "project";
}
