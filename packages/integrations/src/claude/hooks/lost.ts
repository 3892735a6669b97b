import type { Candidate, Diagnostic, Source } from "@hookline/runtime/dialect";

/** Returns a broken candidate for the load report, for an unusable part of a file. */
export function lostBy({ message }: Diagnostic, source: Source): Candidate {
  return { lane: "claude", source, state: "broken", reason: message, files: [source.path], definition: undefined };
}
