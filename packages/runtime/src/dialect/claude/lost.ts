import type { Diagnostic, Source } from "../../error/diagnostic.ts";
import type { Candidate } from "../dialect.ts";

/** The unusable parts of a file, for the load report. */
export function lostBy({ message }: Diagnostic, source: Source): Candidate {
  return { lane: "claude", source, state: "broken", reason: message, files: [source.path], definition: undefined };
}
