import type { Candidate } from "../dialect/dialect.ts";
import type { DataFile, ModuleFolder, More, OpenPiece } from "./answers.ts";
import type { Bound, Fingerprint, HashedFile } from "./fingerprint.ts";

/**
 * `approved`: a person has agreed to exactly this. `changed`: they agreed to something else at this place.
 * `pending`: nobody has been asked.
 */
export type ConsentState = "approved" | "changed" | "pending";

/** The judgement of a consent about one definition. */
export interface Judgement {
  readonly verdict: ConsentState;
  /** The approved files; no others are run for it. Absent: any file. */
  readonly files?: readonly HashedFile[];
  /** The files and folders that were bound. */
  readonly bound?: readonly Bound[];
  /** Pieces that the approval does not cover; absent if unknown. */
  readonly open?: readonly OpenPiece[];
  /** Folders in which it loads modules that nobody names, as approved. */
  readonly modules?: readonly ModuleFolder[];
  /** Files that it only reads, as approved. */
  readonly data?: readonly DataFile[];
  /** The covered file that is not as it was approved. */
  readonly changed?: string;
  /** The remedy, if it is not `hookline trust approve`. */
  readonly remedy?: string;
}

/**
 * The first piece that a judgement leaves open; searched for again if the approval does not say. Where nothing may be
 * open, as with `--frozen` and for `required`, such an item must not run.
 */
export function openPart({ open, bound = [] }: Judgement, print: LookAt): OpenPiece | undefined {
  return (open ?? print({ bound: bound.map(({ path }) => path) }).open)?.[0];
}

/** An open piece in one line: what it is, where, why, and what closes it; `folder` closes a piece that computes. */
export function openLine(
  { piece, file, line, why, bind = [] }: OpenPiece,
  nameOf: (path: string) => string = (path) => path,
  folder = "FOLDER",
): string {
  const at = line === undefined ? nameOf(file) : `${nameOf(file)}:${line}`;
  const closing = bind.length === 0 ? [folder] : bind.map(nameOf);
  return `${piece} in ${at} ${why}; to cover it: ${closing.map((path) => `--bind ${path}`).join(" ")}`;
}

/** A file that is only read, in one line. */
export function dataLine({ file }: DataFile, nameOf: (path: string) => string = (path) => path): string {
  return `reads ${nameOf(file)} (data: changes are not asked); to cover it: --bind ${nameOf(file)}`;
}

/** The remedy for an open piece where nothing may be open. */
export function openRemedy(piece: OpenPiece): string {
  return `Its approval does not cover everything that runs: ${openLine(piece)}, when you run \`hookline trust approve\`.`;
}

/**
 * Decides whether a project's definition may run. Asked once per definition and load, before any part of it runs.
 * `true` means `approved` with any files, `false` means `pending`.
 */
export interface Consent {
  allows(candidate: Candidate, print: LookAt): boolean | Judgement;
}

/** Looks at a definition as it is now. */
export type LookAt = (more?: More) => Fingerprint;

/** Nothing in a project runs: the default without a person's consent. */
export const trustNothing: Consent = { allows: () => false };

/** Everything runs: a person allowed it for this run. */
export const approveEverything: Consent = { allows: () => true };

/** The former name of the option `runUnapprovedProjectHooks`, which `createRuntime` refuses. */
export const trustEverything: Consent = { allows: () => false };

/** A project's definitions need consent, and so does a project's code that a person's own definition runs. */
export function needsConsent({ source, runsProject }: Candidate): boolean {
  return source.tier === "project" || runsProject === true;
}
