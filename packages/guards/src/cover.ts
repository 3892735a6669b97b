import type { GuardSession } from "./session.ts";

/** Something that a call would lose: files by absolute path, or a repository's state. */
export type Lost =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "repository"; readonly folder: string };

/** A call that is about to run. */
export interface CoveredCall {
  readonly toolCallId: string;
  /** Describes the call in one line. */
  readonly label: string;
}

const LONGEST_LABEL = 200;

/**
 * Returns a call's label: its command, or its tool and file. Guards that share a checkpoint identify the call by it.
 */
export function labelOf(tool: string, args: object): string {
  const { command, path, notebook_path: notebook } = args as Readonly<Record<string, unknown>>;
  const file = [path, notebook].find((one) => typeof one === "string");
  const text = typeof command === "string" ? command : file === undefined ? tool : `${tool} ${file}`;
  return text.slice(0, LONGEST_LABEL);
}

/**
 * Makes the checkpoint of a call, unless it exists. Returns why the checkpoint cannot restore everything that would be
 * lost; `undefined` if it can. Must not throw.
 */
export type Coverage = (call: CoveredCall, lost: readonly Lost[]) => Promise<string | undefined>;

/** The checkpoint function of each session, by the session object that its guards share. */
const offers = new WeakMap<GuardSession, Coverage>();

/** Offers checkpoints to the guards of the same session. The latest offer counts. */
export function offerCoverage(session: GuardSession, coverage: Coverage): void {
  offers.set(session, coverage);
}

/** Returns the checkpoint function that is offered in a session. */
export function coverageOf(session: GuardSession): Coverage | undefined {
  return offers.get(session);
}
