import type { Candidate } from "../dialect/dialect.ts";
import type { DataFile, ModuleFolder, More, OpenPiece } from "./answers.ts";
import type { Bound, Fingerprint, HashedFile } from "./fingerprint.ts";

/**
 * `approved`: a person has agreed to exactly this definition. `changed`: they agreed to another version of it.
 * `pending`: nobody has been asked.
 */
export type ConsentState = "approved" | "changed" | "pending";

/** The decision of a `Consent` about one definition. */
export interface Judgement {
  readonly verdict: ConsentState;
  /** The approved files; the definition may run no others. Absent: any file. */
  readonly files?: readonly HashedFile[];
  /** The files and folders that a person included with `--bind`. */
  readonly bound?: readonly Bound[];
  /** The open pieces of code, which the approval does not cover; absent if unknown. */
  readonly open?: readonly OpenPiece[];
  /** Folders from which the definition may load modules that no code names, as approved. */
  readonly modules?: readonly ModuleFolder[];
  /** Files that the definition only reads, as approved. */
  readonly data?: readonly DataFile[];
  /** The covered file that differs from what was approved. */
  readonly changed?: string;
  /** The remedy for a person, if it is not `hookline trust approve`. */
  readonly remedy?: string;
}

/**
 * Returns the first piece of code that the approval does not cover. If the judgement has no list of them, `print` makes
 * one. With `--frozen` or under `required`, an item with such a piece must not run.
 */
export function openPart({ open, bound = [] }: Judgement, print: LookAt): OpenPiece | undefined {
  return (open ?? print({ bound: bound.map(({ path }) => path) }).open)?.[0];
}

/**
 * Describes an open piece of code in one line. The line has the piece, its place, the reason, and the `--bind` options
 * with which an approval would cover it (`folder`, if no single file does).
 */
export function openLine(
  { piece, file, line, why, bind = [] }: OpenPiece,
  nameOf: (path: string) => string = (path) => path,
  folder = "FOLDER",
): string {
  const at = line === undefined ? nameOf(file) : `${nameOf(file)}:${line}`;
  const closing = bind.length === 0 ? [folder] : bind.map(nameOf);
  return `${piece} in ${at} ${why}; to cover it: ${closing.map((path) => `--bind ${path}`).join(" ")}`;
}

/** Describes a file that is only read, in one line. */
export function dataLine({ file }: DataFile, nameOf: (path: string) => string = (path) => path): string {
  return `reads ${nameOf(file)} (data: may change freely); to cover it: --bind ${nameOf(file)}`;
}

/** Returns what to do about an open piece of code where the approval must cover everything. */
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

/** Computes the fingerprint of a definition as it is now. */
export type LookAt = (more?: More) => Fingerprint;

/** Consent to none of a project's hooks; the default until a person agrees. */
export const trustNothing: Consent = { allows: () => false };

/** A consent that lets everything run, because a person allowed it for this run. */
export const approveEverything: Consent = { allows: () => true };

/** A consent of former releases. `createRuntime` refuses it: `runUnapprovedProjectHooks` replaces it. */
export const trustEverything: Consent = { allows: () => false };

/**
 * Returns whether a definition needs consent: a project's does, and so does a person's own if it runs code of the
 * project.
 */
export function needsConsent({ source, runsProject }: Candidate): boolean {
  return source.tier === "project" || runsProject === true;
}
