/**
 * The names that an agent was seen to use. A later version may rename a field, which hooks then no longer see. Written
 * by `npm run hosts -- --write` and from the recordings; names within a text are separated by blanks.
 */
export interface HostNames {
  /** The models with which each version of the agent was tested against the loss report. */
  readonly held: Readonly<Record<string, string>>;
  /** The fields of the agent's payloads, by event. Fields of an event that is missing here are not compared. */
  readonly fields: Readonly<Record<string, string>>;
  /** The arguments of the agent's tools, by tool. Arguments of a tool that is missing here are not compared. */
  readonly args: Readonly<Record<string, string>>;
}

/** Returns the names in a text of `HostNames`. */
export function namesIn(text: string): readonly string[] {
  return text.split(" ").filter((name) => name !== "");
}
