/**
 * The names that an agent was seen to use. They change when the agent does: a field that it renames is one that hooks no
 * longer see. Written by `npm run hosts -- --write` and from the recordings; names within a text are separated by blanks.
 */
export interface HostNames {
  /** The models with which each version was run against the loss report. */
  readonly held: Readonly<Record<string, string>>;
  /** The fields of its payloads, by event. Fields of an event that is missing here are not looked at. */
  readonly fields: Readonly<Record<string, string>>;
  /** The arguments of its tools, by tool; looked at as the fields are. */
  readonly args: Readonly<Record<string, string>>;
}

/** The names in a text of `HostNames`. */
export function namesIn(text: string): readonly string[] {
  return text.split(" ").filter((name) => name !== "");
}
