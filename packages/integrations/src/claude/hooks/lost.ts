import type { Candidate, Diagnostic, Source } from "@hookline/runtime/dialect";

/** The unusable parts of a file, for the load report. */
export function lostBy({ message }: Diagnostic, source: Source): Candidate {
  return { lane: "claude", source, state: "broken", reason: message, files: [source.path], definition: undefined };
}
