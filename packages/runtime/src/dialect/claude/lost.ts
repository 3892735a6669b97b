import type { Diagnostic, Source } from "../../error/diagnostic.ts";
import type { Candidate } from "../dialect.ts";

/** What of a file cannot be used, as it stands in the load report. */
export function lostBy({ message }: Diagnostic, source: Source): Candidate {
  return { lane: "claude", source, state: "broken", reason: message, files: [source.path], definition: undefined };
}
