import type { Candidate } from "../dialect/dialect.ts";
import type { BoundFolder, Fingerprint, HashedFile } from "./fingerprint.ts";

/**
 * `approved`: a person has agreed to exactly this. `changed`: they agreed to something else at this place.
 * `pending`: nobody has been asked.
 */
export type Verdict = "approved" | "changed" | "pending";

/**
 * A piece of a definition, or of a file that it covers, that computes what it starts: its bytes do not show what runs.
 */
export interface OpenPiece {
  /** The source text, shortened. */
  readonly piece: string;
  /** The file that holds it, with all links resolved. */
  readonly file: string;
  /** 1-based, if known. */
  readonly line?: number;
  /** Why it is open, as words that continue the piece: "computes what it starts". */
  readonly why: string;
}

/** What a consent says about one definition. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The approved files; no others are run for it. Absent: any file. */
  readonly files?: readonly HashedFile[];
  /** The folder that was approved with everything in it. */
  readonly boundTo?: BoundFolder;
  /** What the approval does not cover, unless it is bound; absent if unknown. */
  readonly open?: readonly OpenPiece[];
  /** What to do to run it, if not `hookline trust approve`. */
  readonly remedy?: string;
}

/**
 * Whether a judgement leaves open what runs (decision 57): the item computes it and is not bound to a folder. Where
 * nothing may be open, as with `--frozen` and for `required`, such an item must not run. Unknown counts as open.
 */
export function isOpen({ open, boundTo }: Pick<Judgement, "open" | "boundTo">): boolean {
  return boundTo === undefined && open?.length !== 0;
}

/** The first piece that a judgement leaves open; searched for again if the approval does not say. */
export function openPart(judgement: Judgement, print: LookAt): OpenPiece | undefined {
  const known = { ...judgement, open: judgement.open ?? print().open ?? [] };
  return isOpen(known) ? known.open[0] : undefined;
}

/** What to do about an open piece where nothing may be open. */
export function openRemedy({ piece, file, line, why }: OpenPiece): string {
  const at = line === undefined ? file : `${file}:${line}`;
  return `"${piece}" (${at}) ${why}, so its approval does not cover everything that runs. Bind it to a folder when you approve it, or name what it starts.`;
}

/**
 * Decides whether a project's definition may run. Asked once per definition and load, before any part of it runs.
 * `true` means `approved` with any files, `false` means `pending`.
 */
export interface Consent {
  allows(candidate: Candidate, print: LookAt): boolean | Judgement;
}

/** Judges a definition as it is now, with `more` files and everything in the folder that it is bound to. */
export type LookAt = (more?: readonly string[], boundTo?: string) => Fingerprint;

/** Nothing in a project runs: the default without a person's consent. */
export const trustNothing: Consent = { allows: () => false };

/** Everything runs: a person allowed it for this run. */
export const approveEverything: Consent = { allows: () => true };

/** The former name of the option `runUnapprovedProjectHooks`, which `createRuntime` refuses. */
export const trustEverything: Consent = { allows: () => false };

/** A project's definitions need consent; a user's, and those approved one by one, do not. */
export function needsConsent(candidate: Candidate): boolean {
  return candidate.source.tier === "project";
}
