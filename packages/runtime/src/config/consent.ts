import type { Candidate } from "../dialect/dialect.ts";

/** Decides whether a project's definition may run. Asked once per definition and load, before anything of it runs. */
export interface Consent {
  allows(candidate: Candidate): boolean;
}

/** Nothing of a project runs: the default without a person's word. */
export const trustNothing: Consent = { allows: () => false };

/** Everything runs: a person has said so for this run. */
export const trustEverything: Consent = { allows: () => true };

/** Definitions of a project need consent; those of the user, and those approved one by one, do not. */
export function needsConsent(candidate: Candidate): boolean {
  return candidate.source.tier === "project";
}
